package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import static io.distributedlock.InvalidSettingException.text;

/**
 * The tunable part of a lock. A {@code null} component is not set and defers to the next
 * source: {@code distributed-lock.locks.<name>.*}, then the request or annotation, then
 * the global properties, then {@link #DEFAULTS}. Immutable.
 *
 * @param ttl how long the lock outlives a holder that died
 * @param waitFor the total budget for getting the lock; zero tries once
 * @param renew {@code true} to renew the lease while it is held
 * @param maxHold renewal stops this long after the acquisition, so a lock is held at most
 * {@code maxHold + ttl}; {@code null} means no limit
 * @param keepFor the lock stays taken at least this long after it was acquired
 * @param mode the kind of lock
 * @param permits the maximum number of holders of a {@link LockMode#SEMAPHORE};
 * {@code null} for other modes
 * @param whenBusy the reaction of a guarded method to a busy lock
 * @param whenLost the reaction to the loss of the lease
 * @param whenUnavailable the reaction of a guarded method to a store that cannot be
 * reached
 * @since 0.1.0
 */
public record LockOptions(@Nullable Duration ttl, @Nullable Duration waitFor, @Nullable Boolean renew,
		@Nullable Duration maxHold, @Nullable Duration keepFor, @Nullable LockMode mode, @Nullable Integer permits,
		@Nullable WhenBusy whenBusy, @Nullable WhenLost whenLost, @Nullable WhenUnavailable whenUnavailable) {

	/** The shortest ttl. */
	public static final Duration MIN_TTL = Duration.ofMillis(10);

	/**
	 * The shortest ttl that renewal can keep alive: a third of it must cover a round
	 * trip.
	 */
	public static final Duration MIN_RENEWABLE_TTL = Duration.ofMillis(200);

	/** The longest ttl, keepFor and maxHold. A wait may be longer. */
	public static final Duration MAX_TTL = Duration.ofDays(365);

	/** The maximum number of permits of a semaphore. */
	public static final int MAX_PERMITS = 10_000;

	/** An instance with no option set. */
	public static final LockOptions NONE = new LockOptions(null, null, null, null, null, null, null, null, null, null);

	/** An exclusive lock with a lease of 30 s that is renewed, and a wait of 5 s. */
	public static final LockOptions DEFAULTS = new LockOptions(Duration.ofSeconds(30), Duration.ofSeconds(5), true,
			null, Duration.ZERO, LockMode.EXCLUSIVE, null, WhenBusy.THROW, WhenLost.THROW, WhenUnavailable.THROW);

	public LockOptions {
		whenBusy = (whenBusy == WhenBusy.DEFAULT) ? null : whenBusy;
		whenLost = (whenLost == WhenLost.DEFAULT) ? null : whenLost;
		whenUnavailable = (whenUnavailable == WhenUnavailable.DEFAULT) ? null : whenUnavailable;
		InvalidSettingException.requireRange("ttl", ttl, MIN_TTL, MAX_TTL);
		InvalidSettingException.requireRange("maxHold", maxHold, Duration.ofMillis(1), MAX_TTL);
		InvalidSettingException.requireRange("keepFor", keepFor, Duration.ZERO, MAX_TTL);
		if (permits != null && (permits < 1 || permits > MAX_PERMITS)) {
			throw new InvalidSettingException("permits", permits,
					"permits must be between 1 and %d but is %d".formatted(MAX_PERMITS, permits));
		}
		if (waitFor != null && waitFor.isNegative()) {
			throw new InvalidSettingException("waitFor", waitFor,
					"waitFor must not be negative but is %s; 0 tries once".formatted(text(waitFor)));
		}
	}

	/**
	 * Fill in the options that are not set here.
	 * @param fallback the next source
	 * @return the combination
	 */
	public LockOptions orElse(LockOptions fallback) {
		if (fallback == NONE || this == fallback) {
			return this;
		}
		if (this == NONE) {
			return fallback;
		}
		return new LockOptions(first(this.ttl, fallback.ttl), first(this.waitFor, fallback.waitFor),
				first(this.renew, fallback.renew), first(this.maxHold, fallback.maxHold),
				first(this.keepFor, fallback.keepFor), first(this.mode, fallback.mode),
				first(this.permits, fallback.permits), first(this.whenBusy, fallback.whenBusy),
				first(this.whenLost, fallback.whenLost), first(this.whenUnavailable, fallback.whenUnavailable));
	}

	/**
	 * Check the rules that need the resolved options.
	 * @return this
	 * @throws InvalidSettingException if the ttl is too short to be renewed, or the mode
	 * does not fit the permits or keepFor
	 */
	public LockOptions requireUsable() {
		if (Boolean.TRUE.equals(this.renew) && this.ttl != null && this.ttl.compareTo(MIN_RENEWABLE_TTL) < 0) {
			throw new InvalidSettingException("ttl", this.ttl,
					"ttl %s is too short to be renewed: use at least %s, or switch renewal off, with renew = Renewal.OFF in the annotation, renew(false) in a request, or renew=false beside the ttl in a configuration"
						.formatted(text(this.ttl), text(MIN_RENEWABLE_TTL)));
		}
		requireFittingMode();
		return this;
	}

	private void requireFittingMode() {
		if (this.mode == LockMode.SEMAPHORE && this.permits == null) {
			throw new InvalidSettingException("mode", this.mode,
					"Mode SEMAPHORE needs permits: how many may hold the lock at once");
		}
		if (this.mode != LockMode.SEMAPHORE && this.permits != null) {
			throw new InvalidSettingException("permits", this.permits,
					"permits %d are for mode SEMAPHORE, but the mode is %s".formatted(this.permits,
							(this.mode != null) ? this.mode : LockMode.EXCLUSIVE));
		}
		if (this.mode != null && !this.mode.isExclusive() && this.keepFor != null && !this.keepFor.isZero()) {
			throw new InvalidSettingException("keepFor", this.keepFor,
					"keepFor %s is for modes with one holder, but the mode is %s".formatted(text(this.keepFor),
							this.mode));
		}
	}

	private static <T> @Nullable T first(@Nullable T value, @Nullable T fallback) {
		return (value != null) ? value : fallback;
	}

	public LockOptions withTtl(Duration ttl) {
		return new LockOptions(ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.mode, this.permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withWaitFor(Duration waitFor) {
		return new LockOptions(this.ttl, waitFor, this.renew, this.maxHold, this.keepFor, this.mode, this.permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withRenew(boolean renew) {
		return new LockOptions(this.ttl, this.waitFor, renew, this.maxHold, this.keepFor, this.mode, this.permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, maxHold, this.keepFor, this.mode, this.permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withKeepFor(Duration keepFor) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, keepFor, this.mode, this.permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withMode(LockMode mode) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, mode, this.permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withPermits(int permits) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.mode, permits,
				this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withWhenBusy(WhenBusy whenBusy) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.mode, this.permits,
				whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withWhenLost(WhenLost whenLost) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.mode, this.permits,
				this.whenBusy, whenLost, this.whenUnavailable);
	}

	public LockOptions withWhenUnavailable(WhenUnavailable whenUnavailable) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.mode, this.permits,
				this.whenBusy, this.whenLost, whenUnavailable);
	}

}
