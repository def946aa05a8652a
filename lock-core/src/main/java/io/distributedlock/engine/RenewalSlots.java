package io.distributedlock.engine;

/**
 * How many renewals are due in each tenth of a second that is near. What would come due
 * together is spread over slots before that, so that a crowd of leases that were taken at
 * once is not renewed at once. A batch that has begun in some slot is filled before
 * another one begins, so that leases that were taken one after the other make few
 * batches. Only the thread that drives the loop comes here.
 */
final class RenewalSlots {

	static final long SLOT_NANOS = 100_000_000;

	/** How many slots a renewal can choose from at most. */
	static final int MOST = 32;

	/** In shorter windows there is nothing to choose. */
	static final int LEAST = 5;

	/** For each count the slot that it is of. */
	private final long[] slots = new long[2 * MOST];

	private final int[] counts = new int[2 * MOST];

	private final int batch;

	RenewalSlots(int batch) {
		this.batch = batch;
	}

	/**
	 * Choose a slot: one that the fewest batches have filled; of these the last one with
	 * a batch that has begun, or the last one.
	 * @param now the time
	 * @param latest when the renewal is due at the latest
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

	/** How many whole batches are due in a slot. */
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
