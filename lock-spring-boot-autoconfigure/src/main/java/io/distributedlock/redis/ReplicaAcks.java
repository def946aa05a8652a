package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.ReplicasNotAcknowledgedException;

import org.springframework.util.Assert;

/**
 * How many replicas have to confirm an acquisition before the lock is handed out.
 *
 * @param count the number of replicas of the primary that has the lock; 0 waits for none
 * @param timeout how long they may take. That time is part of the lease and of the
 * caller's budget. An acquisition may wait about twice as long where others are before it
 * @since 0.1.0
 */
public record ReplicaAcks(int count, Duration timeout) {

	/** The largest number that can be asked for. */
	public static final int MOST = 1_000;

	/** Wait for no replica. */
	public static final ReplicaAcks NONE = new ReplicaAcks(0, Duration.ofMillis(400));

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if the number is negative or above 1,000, or the
	 * time shorter than a millisecond, which means endless to Redis
	 */
	public ReplicaAcks {
		Assert.isTrue(count >= 0 && count <= MOST, () -> "The replicas must be from 0 to 1000 but are " + count);
		Assert.isTrue(timeout.toMillis() > 0, () -> "The time for replicas must be positive but is " + timeout);
	}

	boolean isWanted() {
		return this.count > 0;
	}

	/** Too few replicas have confirmed an acquisition. */
	ReplicasNotAcknowledgedException missing(int got) {
		return new ReplicasNotAcknowledgedException(this.count, got,
				("%d of %d replicas confirmed the lock within %d ms, so it does not count. Check the replicas, "
						+ "or lower distributed-lock.redis.replica-acks")
					.formatted(got, this.count, this.timeout.toMillis()),
				null);
	}

}
