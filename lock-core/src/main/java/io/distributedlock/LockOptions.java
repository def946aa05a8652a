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
 * @param lockDelay the lock stays closed this long after a holder's lease has run out
 * without a release, for resources that cannot check a token
 * @param mode the kind of lock
 * @param permits the maximum number of holders of a {@link LockMode#SEMAPHORE};
 * {@code null} for other modes
 * @param take how many permits of a {@link LockMode#SEMAPHORE} a request takes, all or
 * none; {@code null} for one
 * @param whenBusy the reaction of a guarded method to a busy lock
 * @param whenLost the reaction to the loss of the lease
 * @param whenUnavailable the reaction of a guarded method to a store that cannot be
 * reached
 * @since 0.1.0
 */
public record LockOptions(@Nullable Duration ttl, @Nullable Duration waitFor, @Nullable Boolean renew,
		@Nullable Duration maxHold, @Nullable Duration keepFor, @Nullable Duration lockDelay, @Nullable LockMode mode,
		@Nullable Integer permits, @Nullable Integer take, @Nullable WhenBusy whenBusy, @Nullable WhenLost whenLost,
		@Nullable WhenUnavailable whenUnavailable) {

	/** The shortest ttl. */
	public static final Duration MIN_TTL = Duration.ofMillis(10);

	/**
	 * The shortest ttl that renewal can keep alive: a third of it must cover a round
	 * trip.
	 */
	public static final Duration MIN_RENEWABLE_TTL = Duration.ofMillis(200);

	/** The longest ttl, keepFor and maxHold. A wait may be longer. */
	public static final Duration MAX_TTL = Duration.ofDays(365);

	/** The maximum number of permits of one request: the store notes each of them. */
	public static final int MAX_TAKE = 1_000;

	/** The longest lockDelay. */
	public static final Duration MAX_LOCK_DELAY = Duration.ofDays(1);

	/** The maximum number of permits of a semaphore. */
	public static final int MAX_PERMITS = 10_000;

	/** An instance with no option set. */
	public static final LockOptions NONE = new LockOptions(null, null, null, null, null, null, null, null, null, null,
			null, null);

	/** An exclusive lock with a lease of 30 s that is renewed, and a wait of 5 s. */
	public static final LockOptions DEFAULTS = new LockOptions(Duration.ofSeconds(30), Duration.ofSeconds(5), true,
			null, Duration.ZERO, Duration.ZERO, LockMode.EXCLUSIVE, null, null, WhenBusy.THROW, WhenLost.THROW,
			WhenUnavailable.THROW);

	public LockOptions {
		whenBusy = (whenBusy == WhenBusy.DEFAULT) ? null : whenBusy;
		whenLost = (whenLost == WhenLost.DEFAULT) ? null : whenLost;
		whenUnavailable = (whenUnavailable == WhenUnavailable.DEFAULT) ? null : whenUnavailable;
		InvalidSettingException.requireRange("ttl", ttl, MIN_TTL, MAX_TTL);
		InvalidSettingException.requireRange("maxHold", maxHold, Duration.ofMillis(1), MAX_TTL);
		InvalidSettingException.requireRange("keepFor", keepFor, Duration.ZERO, MAX_TTL);
		InvalidSettingException.requireRange("lockDelay", lockDelay, Duration.ZERO, MAX_LOCK_DELAY);
		if (permits != null && (permits < 1 || permits > MAX_PERMITS)) {
			throw new InvalidSettingException("permits", permits,
					"permits must be between 1 and %d but is %d".formatted(MAX_PERMITS, permits));
		}
		if (take != null && (take < 1 || take > MAX_TAKE)) {
			throw new InvalidSettingException("take", take,
					"take must be between 1 and %d but is %d".formatted(MAX_TAKE, take));
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
				first(this.keepFor, fallback.keepFor), first(this.lockDelay, fallback.lockDelay),
				first(this.mode, fallback.mode), first(this.permits, fallback.permits), first(this.take, fallback.take),
				first(this.whenBusy, fallback.whenBusy), first(this.whenLost, fallback.whenLost),
				first(this.whenUnavailable, fallback.whenUnavailable));
	}

	/**
	 * Check the rules that need the resolved options.
	 * @return this
	 * @throws InvalidSettingException if the ttl is too short to be renewed, or the mode
	 * does not fit the permits, keepFor or lockDelay, or take is more than the permits
	 */
	public LockOptions requireUsable() {
		if (Boolean.TRUE.equals(this.renew) && this.ttl != null && this.ttl.compareTo(MIN_RENEWABLE_TTL) < 0) {
			throw new InvalidSettingException("ttl", this.ttl,
					"ttl %s is too short to be renewed: use at least %s, or switch renewal off, with renew = Renewal.OFF in the annotation, renew(false) in a request, or renew=false beside the ttl in a configuration"
						.formatted(text(this.ttl), text(MIN_RENEWABLE_TTL)));
		}
		requireFittingMode();
		requireOneHolder();
		requireFittingTake();
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

	private void requireOneHolder() {
		if (this.mode == LockMode.SEMAPHORE && this.lockDelay != null && !this.lockDelay.isZero()) {
			throw new InvalidSettingException("lockDelay", this.lockDelay,
					"lockDelay %s is for modes with one holder, but the mode is %s: leave it out, or take one lock for each permit"
						.formatted(text(this.lockDelay), this.mode));
		}
	}

	private void requireFittingTake() {
		if (this.take != null && (this.permits == null || this.take > this.permits)) {
			throw new InvalidSettingException("take", this.take, (this.permits == null)
					? "take %d is for mode SEMAPHORE, but the mode is %s: set permits beside it, or remove it"
						.formatted(this.take, (this.mode != null) ? this.mode : LockMode.EXCLUSIVE)
					: "take %d is more than the permits, which are %d: no request would ever get them. Take fewer, or raise the permits"
						.formatted(this.take, this.permits));
		}
	}

	private static <T> @Nullable T first(@Nullable T value, @Nullable T fallback) {
		return (value != null) ? value : fallback;
	}

	public LockOptions withTtl(Duration ttl) {
		return new LockOptions(ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay, this.mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withWaitFor(Duration waitFor) {
		return new LockOptions(this.ttl, waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay, this.mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withRenew(boolean renew) {
		return new LockOptions(this.ttl, this.waitFor, renew, this.maxHold, this.keepFor, this.lockDelay, this.mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, maxHold, this.keepFor, this.lockDelay, this.mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withKeepFor(Duration keepFor) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, keepFor, this.lockDelay, this.mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withLockDelay(Duration lockDelay) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, lockDelay, this.mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withMode(LockMode mode) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay, mode,
				this.permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withPermits(int permits) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay,
				this.mode, permits, this.take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withTake(int take) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay,
				this.mode, this.permits, take, this.whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withWhenBusy(WhenBusy whenBusy) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay,
				this.mode, this.permits, this.take, whenBusy, this.whenLost, this.whenUnavailable);
	}

	public LockOptions withWhenLost(WhenLost whenLost) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay,
				this.mode, this.permits, this.take, this.whenBusy, whenLost, this.whenUnavailable);
	}

	public LockOptions withWhenUnavailable(WhenUnavailable whenUnavailable) {
		return new LockOptions(this.ttl, this.waitFor, this.renew, this.maxHold, this.keepFor, this.lockDelay,
				this.mode, this.permits, this.take, this.whenBusy, this.whenLost, whenUnavailable);
	}

}
