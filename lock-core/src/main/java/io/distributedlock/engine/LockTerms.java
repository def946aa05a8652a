package io.distributedlock.engine;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.WhenLost;
import org.jspecify.annotations.Nullable;

/**
 * The complete options of one request.
 *
 * @param name the name of the profile
 * @param requested the options of the request itself
 * @param options the options, of which only the limits may be missing
 * @param maxHoldNanos time from the acquisition until renewal stops
 */
record LockTerms(String name, LockOptions requested, LockOptions options, long maxHoldNanos) {

	private static final long FIXED_DRIFT_NANOS = 2_000_000;

	static LockTerms of(LockProfiles profiles, String name, LockOptions requested) {
		LockOptions resolved = profiles.resolve(name, requested);
		return new LockTerms(name, requested, resolved, saturatedNanos(resolved.maxHold()));
	}

	/**
	 * Return whether these terms belong to a request with that name and these options.
	 */
	boolean isFor(String name, LockOptions requested) {
		return this.requested.equals(requested) && this.name.equals(name);
	}

	LockMode mode() {
		return Objects.requireNonNull(this.options.mode());
	}

	/** Return the length of the lease. */
	Duration ttl() {
		return Objects.requireNonNull(this.options.ttl());
	}

	long ttlNanos() {
		return ttl().toNanos();
	}

	/** Return the time to wait for the lock; {@code null} for as long as it takes. */
	@Nullable Duration waitFor() {
		return this.options.waitFor();
	}

	/** Return the shortest time for which the lock stays taken. */
	Duration keepFor() {
		return Objects.requireNonNull(this.options.keepFor());
	}

	/** The limit of a semaphore, or zero. */
	int permits() {
		Integer permits = this.options.permits();
		return (permits != null) ? permits : 0;
	}

	boolean renew() {
		return Boolean.TRUE.equals(this.options.renew());
	}

	WhenLost whenLost() {
		return Objects.requireNonNull(this.options.whenLost());
	}

	/** The nanoseconds of a duration, or so many that they never pass. */
	static long saturatedNanos(@Nullable Duration duration) {
		return (duration == null || duration.compareTo(LockOptions.MAX_TTL) >= 0) ? Long.MAX_VALUE / 4
				: duration.toNanos();
	}

	/**
	 * Return the part of a lease on which its holder does not rely: 1 % and 2 ms, as in
	 * "Distributed Locks with Redis" (Redis documentation).
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

	/**
	 * Return how far the renewal of a lease is planned before its latest time: at the
	 * earliest a sixth of the ttl after the last one. Zero for a short lease.
	 */
	static long renewalWindow(long ttlNanos) {
		long window = Math.min(ttlNanos / 6 - RenewalSlots.SLOT_NANOS, RenewalSlots.MOST * RenewalSlots.SLOT_NANOS);
		return (window >= RenewalSlots.LEAST * RenewalSlots.SLOT_NANOS) ? window : 0;
	}

	/**
	 * Return whether an owner that holds a lock of a mode enters it with these terms
	 * again.
	 */
	boolean entersAgain(LockMode held) {
		return entersAgain(mode(), held);
	}

	/**
	 * Return whether an owner that holds a lock of one mode enters it again if it
	 * requests the other.
	 */
	static boolean entersAgain(LockMode wanted, LockMode held) {
		return wanted.isExclusive() ? held.isExclusive() : wanted == LockMode.READ && held == LockMode.READ;
	}

	/** Return these terms for a grant that is entered again, where nothing gets less. */
	LockTerms orMore(LockTerms wanted) {
		Duration longer = (wanted.ttl().compareTo(ttl()) > 0) ? wanted.ttl() : ttl();
		boolean renewed = renew() || wanted.renew();
		return (longer.equals(ttl()) && renewed == renew()) ? this : new LockTerms(this.name, this.requested,
				this.options.withTtl(longer).withRenew(renewed), this.maxHoldNanos);
	}

	/**
	 * Return these terms for a holder that sets its lease anew.
	 * @param keepFor how long the lock is kept from now on; {@code null} to leave it
	 */
	LockTerms with(Duration ttl, @Nullable Duration keepFor) {
		LockOptions leased = this.options.withTtl(ttl);
		return new LockTerms(this.name, this.requested, (keepFor != null) ? leased.withKeepFor(keepFor) : leased,
				this.maxHoldNanos);
	}

	/**
	 * Check these terms after a caller has changed some.
	 * @throws io.distributedlock.InvalidSettingException if they cannot work
	 */
	void requireUsable() {
		this.options.requireUsable();
	}

	/**
	 * Return whether an attempt that was sent for these terms serves the others as well.
	 */
	boolean sameOnTheWire(LockTerms other) {
		return ttl().equals(other.ttl()) && mode() == other.mode() && permits() == other.permits()
				&& keepFor().equals(other.keepFor());
	}

}
