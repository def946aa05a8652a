package io.distributedlock.sample.id;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The ids of one microsecond of the server's clock: 53 bits of time, 10 bits of sequence.
 */
final class IdBlock {

	static final int SEQUENCE_BITS = 10;

	static final int SIZE = 1 << SEQUENCE_BITS;

	private final long first;

	private final long expiresAtNanos;

	private final AtomicInteger taken = new AtomicInteger();

	IdBlock(long serverMicros, long expiresAtNanos) {
		this.first = serverMicros << SEQUENCE_BITS;
		this.expiresAtNanos = expiresAtNanos;
	}

	/**
	 * Return a block that is used up and expired, for the time before the first
	 * reservation.
	 */
	static IdBlock none(long nowNanos) {
		return new IdBlock(0, nowNanos);
	}

	OptionalLong take(long nowNanos) {
		if (nowNanos - this.expiresAtNanos >= 0) {
			return OptionalLong.empty();
		}
		int sequence = this.taken.getAndIncrement();
		return (sequence >= 0 && sequence < SIZE) ? OptionalLong.of(this.first + sequence) : OptionalLong.empty();
	}

}
