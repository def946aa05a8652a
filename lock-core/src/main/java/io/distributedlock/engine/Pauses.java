package io.distributedlock.engine;

import java.time.Duration;

/**
 * How long a request sleeps before its next attempt, and how long its waiter entry lasts,
 * which is longer. Guarded by the queue.
 */
final class Pauses {

	static final long FIRST_BACK_OFF_NANOS = 25_000_000;

	private final Instance instance;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/**
	 * The last answer said that the next release gives the lock to the request, and that
	 * would be heard. An entry that is left from here on lasts for a long pause.
	 */
	private boolean next;

	Pauses(Instance instance) {
		this.instance = instance;
	}

	/** Another request takes the place of this one, or is before it by now. */
	void goOnAnew() {
		this.next = false;
	}

	/** Lifetime of the waiter entry of the next attempt. */
	Duration entryTtl() {
		return this.next ? this.instance.entryTtl.plus(this.instance.patience) : this.instance.entryTtl;
	}

	/**
	 * The lock is taken. A wake-up ends the pause, if there are any; it is long if one is
	 * certain and the entry was to last.
	 * @param isNext whether the next release gives the lock to the request
	 */
	long busy(boolean isNext) {
		if (!this.instance.offer.hasWakeUps()) {
			return growing();
		}
		this.backOffNanos = FIRST_BACK_OFF_NANOS;
		boolean patient = this.next && isNext;
		this.next = isNext;
		return poll(patient ? this.instance.patience : Duration.ZERO);
	}

	private long poll(Duration patience) {
		return this.instance.jitter(this.instance.settings.pollInterval().plus(patience).toNanos());
	}

	/** The store fails, or wakes none. */
	long growing() {
		long pause = this.instance.jitter(this.backOffNanos);
		this.backOffNanos = Math.min(this.backOffNanos * 2, this.instance.settings.pollInterval().toNanos());
		return pause;
	}

	/**
	 * Wake-ups may not arrive from here on.
	 * @return the longest pause from now on, which may be one of an earlier request
	 */
	long wakeUpsLost() {
		this.next = false;
		return poll(Duration.ZERO);
	}

}
