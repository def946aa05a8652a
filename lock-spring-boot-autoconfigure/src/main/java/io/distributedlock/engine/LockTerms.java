package io.distributedlock.engine;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.WhenLost;
import io.distributedlock.store.AcquireCommand;
import org.jspecify.annotations.Nullable;

/**
 * The options of one request, complete.
 *
 * @param times the lease, and how long the lock stays taken at least
 * @param kind the mode, which is exclusive, fair, read or semaphore, and the permits
 * @param renew whether to renew
 * @param maxHoldNanos when renewal stops after the acquisition
 * @param whenLost what happens when the lease is lost
 * @param waitFor how long to wait for the lock; {@code null} for as long as it takes
 */
record LockTerms(AcquireCommand.Times times, AcquireCommand.Kind kind, boolean renew, long maxHoldNanos,
		WhenLost whenLost, @Nullable Duration waitFor) {

	private static final long FIXED_DRIFT_NANOS = 2_000_000;

	static LockTerms of(LockOptions resolved) {
		Integer permits = resolved.permits();
		AcquireCommand.Kind kind = (permits != null) ? new AcquireCommand.Kind(mode(resolved), permits, null)
				: AcquireCommand.Kind.of(mode(resolved));
		return new LockTerms(times(resolved.ttl(), resolved.keepFor()), kind, Boolean.TRUE.equals(resolved.renew()),
				saturatedNanos(resolved.maxHold()), Objects.requireNonNull(resolved.whenLost()), resolved.waitFor());
	}

	private static AcquireCommand.Times times(@Nullable Duration ttl, @Nullable Duration keepFor) {
		return new AcquireCommand.Times(Objects.requireNonNull(ttl), Objects.requireNonNull(keepFor), Duration.ZERO);
	}

	/** The times of an attempt that leaves a waiter entry, or none if that is zero. */
	AcquireCommand.Times times(Duration waiting) {
		return waiting.isZero() ? this.times
				: new AcquireCommand.Times(this.times.ttl(), this.times.keepFor(), waiting);
	}

	Duration keepFor() {
		return this.times.keepFor();
	}

	long ttlNanos() {
		return this.times.ttl().toNanos();
	}

	LockMode mode() {
		return this.kind.mode();
	}

	/** The limit of a semaphore, or zero. */
	int permits() {
		return this.kind.permits();
	}

	/** A writer takes the exclusive lock. */
	private static LockMode mode(LockOptions resolved) {
		LockMode mode = resolved.mode();
		return (mode == null || mode == LockMode.WRITE) ? LockMode.EXCLUSIVE : mode;
	}

	/** The nanoseconds of a duration, or so many that they never pass. */
	static long saturatedNanos(@Nullable Duration duration) {
		return (duration == null || duration.compareTo(LockOptions.MAX_TTL) >= 0) ? Long.MAX_VALUE / 4
				: duration.toNanos();
	}

	/**
	 * How much earlier than the store the holder stops to rely on a lease: 1 % and 2 ms,
	 * as in "Distributed Locks with Redis" (Redis documentation).
	 */
	static long drift(long ttlNanos) {
		return ttlNanos / 100 + FIXED_DRIFT_NANOS;
	}

	/**
	 * The longest lease whose holder relies on it for so long; the inverse of the drift.
	 */
	static long leaseNanos(long validNanos) {
		return (validNanos + FIXED_DRIFT_NANOS) / 99 * 100;
	}

	/** Whether the owner of a lock of another mode would enter that again. */
	boolean entersAgain(LockMode held) {
		return entersAgain(mode(), held);
	}

	/** Whether the owner of a lock enters that again when it asks for one of a mode. */
	static boolean entersAgain(LockMode wanted, LockMode held) {
		return wanted.isExclusive() ? held.isExclusive() : wanted == LockMode.READ && held == LockMode.READ;
	}

	/** These terms for a grant that is entered again, where nothing gets less. */
	LockTerms orMore(LockTerms wanted) {
		boolean longer = wanted.ttlNanos() > ttlNanos();
		boolean renewed = this.renew || wanted.renew;
		return (!longer && renewed == this.renew) ? this
				: new LockTerms(times(longer ? wanted.times.ttl() : this.times.ttl(), keepFor()), this.kind, renewed,
						this.maxHoldNanos, this.whenLost, this.waitFor);
	}

	/** Whether an attempt that was sent for these terms serves the others as well. */
	boolean sameOnTheWire(LockTerms other) {
		return this.times.equals(other.times) && this.kind.equals(other.kind);
	}

}
