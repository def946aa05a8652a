package io.distributedlock.sample.sale;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * An event in an instance.
 *
 * @param kind its kind
 * @param at its time, in microseconds since 1970
 * @param token the fencing token of the lock, 0 without a lock
 * @param micros how long the lock was waited for or held, or how long the purchase took,
 * else 0
 * @param text the origin of an acquisition, the reason of a loss or the buyer, else empty
 */
public record InstanceEvent(Kind kind, long at, long token, long micros, String text) {

	static InstanceEvent of(Kind kind, long token, long micros, String text) {
		return new InstanceEvent(kind, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), token, micros, text);
	}

	/** Kind of an event. */
	public enum Kind {

		/** The lock was acquired. */
		ACQUIRED,

		/** The lock was released. */
		RELEASED,

		/** The holder was notified that its lock is lost. */
		LOST,

		/** A write was refused, because a later holder has written. */
		REFUSED,

		/** A buyer stopped on request while paying. */
		HOLDING,

		/** A purchase without a lock ended. */
		BOUGHT

	}

}
