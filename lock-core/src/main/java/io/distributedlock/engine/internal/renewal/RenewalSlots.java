package io.distributedlock.engine.internal.renewal;

import io.distributedlock.engine.internal.instance.LockTerms;

/**
 * The number of renewals that are due in each of the next tenths of a second. Renewals
 * that would be due together are spread over earlier slots, so that leases that were
 * acquired at once are not renewed at once. A batch that has begun in a slot is filled
 * before another one begins, so that leases acquired one after the other make few
 * batches. Confined to the thread that drives the loop.
 */
final class RenewalSlots {

	private static final long SLOT_NANOS = LockTerms.SLOT_NANOS;

	private static final int MOST = LockTerms.MOST_SLOTS;

	/** The slot to which each count belongs. */
	private final long[] slots = new long[2 * MOST];

	private final int[] counts = new int[2 * MOST];

	private final int batch;

	RenewalSlots(int batch) {
		this.batch = batch;
	}

	/**
	 * Choose a slot with the fewest full batches: of these the last one in which a batch
	 * has begun, else the last one.
	 * @param now the time
	 * @param latest the latest time for the renewal
	 * @return the beginning of the slot; not before now, nor after the latest time
	 */
	long take(long now, long latest) {
		long last = Math.floorDiv(latest, SLOT_NANOS);
		long first = Math.max(Math.floorDiv(now, SLOT_NANOS) + 1, last - MOST + 1);
		if (first > last) {
			return Math.min(now, latest);
		}
		long chosen = last;
		for (long slot = last - 1; slot >= first; slot--) {
			if (batches(slot) < batches(chosen)
					|| (batches(slot) == batches(chosen) && hasBegun(slot) && !hasBegun(chosen))) {
				chosen = slot;
			}
		}
		int place = place(chosen);
		this.counts[place] = count(chosen) + 1;
		this.slots[place] = chosen;
		return chosen * SLOT_NANOS;
	}

	/** Return the number of full batches in a slot. */
	private int batches(long slot) {
		return count(slot) / this.batch;
	}

	private boolean hasBegun(long slot) {
		return count(slot) % this.batch > 0;
	}

	private int count(long slot) {
		int place = place(slot);
		return (this.slots[place] == slot) ? this.counts[place] : 0;
	}

	private int place(long slot) {
		return Math.floorMod(slot, this.slots.length);
	}

}
