package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;
import io.distributedlock.ReplicasNotAcknowledgedException;

/**
 * Number of replicas that have to confirm an acquisition before the lock is handed out.
 *
 * @param count the number of replicas of the primary that has the lock; 0 waits for none
 * @param timeout the time that they have. It is part of the lease and of the caller's
 * budget. An acquisition may wait about twice as long if others are before it
 * @since 0.1.0
 */
public record ReplicaAcks(int count, Duration timeout) {

	/** The largest valid count. */
	public static final int MOST = 1_000;

	/** Wait for no replica. */
	public static final ReplicaAcks NONE = new ReplicaAcks(0, Duration.ofMillis(400));

	/**
	 * Create settings.
	 * @throws InvalidSettingException if the number is negative or above 1,000; if the
	 * time is shorter than a millisecond, which means endless to Redis, or longer than
	 * {@link LockOptions#MAX_TTL}
	 */
	public ReplicaAcks {
		if (count < 0 || count > MOST) {
			throw new InvalidSettingException("replicaAcks", count,
					"replicaAcks must be from 0 to %d but is %d".formatted(MOST, count));
		}
		InvalidSettingException.requireRange("replicaAcksTimeout", timeout, Duration.ofMillis(1), LockOptions.MAX_TTL);
	}

	boolean isWanted() {
		return this.count > 0;
	}

	/** Return the exception for an acquisition that too few replicas have confirmed. */
	ReplicasNotAcknowledgedException missing(int got) {
		return new ReplicasNotAcknowledgedException(this.count, got,
				("%d of %d replicas confirmed the lock within %d ms, so it does not count. Check the replicas, "
						+ "or lower distributed-lock.redis.replica-acks")
					.formatted(got, this.count, this.timeout.toMillis()),
				null);
	}

}
