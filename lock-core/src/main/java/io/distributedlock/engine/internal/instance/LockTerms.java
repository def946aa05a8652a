package io.distributedlock.engine.internal.instance;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.WhenLost;
import org.jspecify.annotations.Nullable;

/** The complete options of a request, each ready to be used. Immutable. */
public final class LockTerms {

	/** The steps in which renewals are planned. */
	public static final long SLOT_NANOS = 100_000_000;

	/** The most slots from which a renewal can choose. */
	public static final int MOST_SLOTS = 32;

	/** The fewest slots: in shorter windows there is no choice. */
	private static final int LEAST_SLOTS = 5;

	private static final long FIXED_DRIFT_NANOS = 2_000_000;

	/** The name of the profile. */
	public final String name;

	/** The options of the request itself. */
	public final LockOptions requested;

	/** The options, of which only the limits may be missing. */
	public final LockOptions options;

	public final LockMode mode;

	/** The length of the lease. */
	public final Duration ttl;

	public final long ttlNanos;

	/** The part of a lease on which its holder relies. */
	public final long validNanos;

	/** How far the renewal of a lease is planned before its latest time. */
	public final long renewalWindowNanos;

	/** The time to wait for the lock; {@code null} for as long as it takes. */
	public final @Nullable Duration waitFor;

	/** As the time to wait, if there is one. */
	public final long waitNanos;

	/** The shortest time for which the lock stays taken. */
	public final Duration keepFor;

	/** The time for which the lock stays closed after a loss; zero for readers. */
	public final Duration lockDelay;

	/** The limit of a semaphore, or zero. */
	public final int permits;

	/** The number of permits that a request takes; 1 for other modes. */
	public final int take;

	public final boolean renew;

	public final WhenLost whenLost;

	/** Time from the acquisition until renewal stops. */
	public final long maxHoldNanos;

	private LockTerms(String name, LockOptions requested, LockOptions options) {
		Integer limit = options.permits();
		this.name = name;
		this.requested = requested;
		this.options = options;
		this.mode = Objects.requireNonNull(options.mode());
		this.ttl = Objects.requireNonNull(options.ttl());
		this.ttlNanos = this.ttl.toNanos();
		this.validNanos = this.ttlNanos - drift(this.ttlNanos);
		this.renewalWindowNanos = renewalWindow(this.ttlNanos);
		this.waitFor = options.waitFor();
		this.waitNanos = saturatedNanos(this.waitFor);
		this.keepFor = Objects.requireNonNull(options.keepFor());
		Duration delay = options.lockDelay();
		this.lockDelay = (delay != null && this.mode.isExclusive()) ? delay : Duration.ZERO;
		this.permits = (limit != null) ? limit : 0;
		Integer wanted = options.take();
		this.take = (wanted != null) ? wanted : 1;
		this.renew = Boolean.TRUE.equals(options.renew());
		this.whenLost = Objects.requireNonNull(options.whenLost());
		this.maxHoldNanos = saturatedNanos(options.maxHold());
	}

	public static LockTerms of(LockProfiles profiles, String name, LockOptions requested) {
		return new LockTerms(name, requested, profiles.resolve(name, requested));
	}

	/** The nanoseconds of a duration, or so many that they never pass. */
	public static long saturatedNanos(@Nullable Duration duration) {
		return (duration == null || duration.compareTo(LockOptions.MAX_TTL) >= 0) ? Long.MAX_VALUE / 4
				: duration.toNanos();
	}

	/**
	 * Return the part of a lease on which its holder does not rely: 1 % and 2 ms, as in
	 * "Distributed Locks with Redis" (Redis documentation).
	 */
	public static long drift(long ttlNanos) {
		return ttlNanos / 100 + FIXED_DRIFT_NANOS;
	}

	/**
	 * The longest lease whose holder relies on it for so long; the inverse of the drift.
	 */
	public static long leaseNanos(long validNanos) {
		return (validNanos + FIXED_DRIFT_NANOS) / 99 * 100;
	}

	/**
	 * Return how far the renewal of a lease is planned before its latest time: at the
	 * earliest a sixth of the ttl after the last one. Zero for a short lease.
	 */
	public static long renewalWindow(long ttlNanos) {
		long window = Math.min(ttlNanos / 6 - SLOT_NANOS, MOST_SLOTS * SLOT_NANOS);
		return (window >= LEAST_SLOTS * SLOT_NANOS) ? window : 0;
	}

	/**
	 * Return whether an owner that holds a lock of a mode enters it with these terms
	 * again.
	 */
	public boolean entersAgain(LockMode held) {
		return entersAgain(this.mode, held);
	}

	/**
	 * Return whether an owner that holds a lock of one mode enters it again if it
	 * requests the other.
	 */
	public static boolean entersAgain(LockMode wanted, LockMode held) {
		return wanted.isExclusive() ? held.isExclusive() : wanted == LockMode.READ && held == LockMode.READ;
	}

	/** Return these terms for a grant that is entered again, where nothing gets less. */
	public LockTerms orMore(LockTerms wanted) {
		Duration longer = (wanted.ttl.compareTo(this.ttl) > 0) ? wanted.ttl : this.ttl;
		boolean renewed = this.renew || wanted.renew;
		return (longer.equals(this.ttl) && renewed == this.renew) ? this
				: new LockTerms(this.name, this.requested, this.options.withTtl(longer).withRenew(renewed));
	}

	/**
	 * Return these terms for a holder that sets its lease anew.
	 * @param keepFor how long the lock is kept from now on; {@code null} to leave it
	 */
	public LockTerms with(Duration ttl, @Nullable Duration keepFor) {
		return new LockTerms(this.name, this.requested, changed(ttl, keepFor));
	}

	/**
	 * Check a lease that a holder sets anew.
	 * @throws io.distributedlock.InvalidSettingException if it cannot work
	 */
	public void requireUsable(Duration ttl, @Nullable Duration keepFor) {
		changed(ttl, keepFor).requireUsable();
	}

	private LockOptions changed(Duration ttl, @Nullable Duration keepFor) {
		LockOptions leased = this.options.withTtl(ttl);
		return (keepFor != null) ? leased.withKeepFor(keepFor) : leased;
	}

	/**
	 * Return whether an attempt that was sent for these terms serves the others as well.
	 */
	public boolean sameOnTheWire(LockTerms other) {
		return this.ttl.equals(other.ttl) && this.mode == other.mode && this.permits == other.permits
				&& this.take == other.take && this.keepFor.equals(other.keepFor)
				&& this.lockDelay.equals(other.lockDelay);
	}

}
