package io.distributedlock.sample.sale;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Something that happened in an instance.
 *
 * @param kind what
 * @param at when, in microseconds since 1970
 * @param token the fencing token of the lock, 0 without a lock
 * @param micros how long it took: for a lock that was released, how long it was held
 * @param text why, empty where nothing is to be said
 */
public record InstanceEvent(Kind kind, long at, long token, long micros, String text) {

	static InstanceEvent of(Kind kind, long token, long micros, String text) {
		return new InstanceEvent(kind, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), token, micros, text);
	}

	/** What can happen. */
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
