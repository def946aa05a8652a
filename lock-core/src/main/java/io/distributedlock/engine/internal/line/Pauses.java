package io.distributedlock.engine.internal.line;

import java.time.Duration;

import io.distributedlock.engine.internal.instance.Instance;

/**
 * The pauses of a request between its attempts, and the lifetime of its waiter entry,
 * which is longer. Guarded by the queue.
 */
final class Pauses {

	static final long FIRST_BACK_OFF_NANOS = 25_000_000;

	private final Instance instance;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/**
	 * Set if the last answer said that the next release gives the lock to the request,
	 * and the message would arrive. A waiter entry then lasts for a long pause.
	 */
	private boolean next;

	Pauses(Instance instance) {
		this.instance = instance;
	}

	/**
	 * Forget {@link #next}: another request replaces this one, or is before it by now.
	 */
	void goOnAnew() {
		this.next = false;
	}

	/** Lifetime of the waiter entry of the next attempt. */
	Duration entryTtl() {
		return this.next ? this.instance.entryTtl.plus(this.instance.patience) : this.instance.entryTtl;
	}

	/**
	 * Return the pause after a busy answer; a wake-up may end it. It is long if a wake-up
	 * is certain and the entry lasts as long.
	 * @param isNext {@code true} if the next release gives the lock to the request
	 * @param ttlNanos the lease that it gives: if the message is lost, the next attempt
	 * has to come before its end
	 */
	long busy(boolean isNext, long ttlNanos) {
		if (!this.instance.offer.hasWakeUps()) {
			return growing();
		}
		this.backOffNanos = FIRST_BACK_OFF_NANOS;
		boolean patient = this.next && isNext;
		this.next = isNext;
		long more = Math.min(this.instance.patience.toNanos(), ttlNanos / 2 - this.instance.pollInterval.toNanos());
		return poll(patient ? Math.max(more, 0) : 0);
	}

	private long poll(long patienceNanos) {
		return this.instance.jitter(this.instance.pollInterval.toNanos() + patienceNanos);
	}

	/** Return the back-off for a store that fails, or that has no wake-ups. */
	long growing() {
		long pause = this.instance.jitter(this.backOffNanos);
		this.backOffNanos = Math.min(this.backOffNanos * 2, this.instance.pollInterval.toNanos());
		return pause;
	}

	/**
	 * Go back to short pauses, since wake-ups may not arrive from here on.
	 * @return the longest pause from now on; the current one may be longer
	 */
	long wakeUpsLost() {
		this.next = false;
		return poll(0);
	}

}
