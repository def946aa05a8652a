package io.distributedlock.observation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockObserver;
import io.distributedlock.observation.LockObservation.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Timers of waits and holds, written without observations: a call costs two timers and
 * two small objects. They have the names and tags of those that a meter handler makes of
 * the {@linkplain LockObservation observations} of a {@link MicrometerLockObserver}.
 * There are no timers of what has not ended yet, and no spans. Thread-safe.
 *
 * @since 0.1.0
 */
public final class MeterLockObserver implements LockObserver {

	private final MeterRegistry meters;

	private final NameLimit names;

	/** The timers of all modes, by the name of the lock. */
	private final Map<String, LockTimers[]> timers = new ConcurrentHashMap<>();

	/**
	 * Create an observer whose timers have at most
	 * {@value DefaultLockObservationConvention#DEFAULT_MAX_NAMES} names of locks.
	 * @param meters the registry of the timers
	 */
	public MeterLockObserver(MeterRegistry meters) {
		this.meters = meters;
		this.names = new NameLimit(DefaultLockObservationConvention.DEFAULT_MAX_NAMES);
		meters.config().onMeterRemoved(this::forget);
	}

	/** Register timers again that were removed from the registry, at their next use. */
	private void forget(Meter removed) {
		if (removed instanceof Timer) {
			this.timers.clear();
		}
	}

	@Override
	public Wait waiting(String name, List<String> keys, LockMode mode) {
		LockTimers[] known = this.timers.get(name);
		return new TimedWait(((known != null) ? known : added(name))[mode.ordinal()]);
	}

	/** A name in excess of the limit is not kept. */
	private LockTimers[] added(String name) {
		String told = name.isEmpty() ? name : this.names.limited(name);
		return this.timers.computeIfAbsent(told,
				(added) -> Arrays.stream(LockMode.values())
					.map((mode) -> new LockTimers(this.meters, added, mode))
					.toArray(LockTimers[]::new));
	}

	/** The timers of one name and mode. Those of usual ends are kept. */
	private static final class LockTimers {

		private final MeterRegistry meters;

		private final String name;

		private final String mode;

		private volatile @Nullable Timer acquired;

		private volatile @Nullable Timer released;

		LockTimers(MeterRegistry meters, String name, LockMode mode) {
			this.meters = meters;
			this.name = name.isEmpty() ? KeyValue.NONE_VALUE : name;
			this.mode = mode.name().toLowerCase(Locale.ROOT);
		}

		long now() {
			return this.meters.config().clock().monotonicTime();
		}

		/** Register the timer, unless it is there already. */
		Timer timer(LockObservation phase, String outcome, String error) {
			return Timer.builder(phase.getName())
				.tag(LowCardinality.NAME.asString(), this.name)
				.tag(LowCardinality.MODE.asString(), this.mode)
				.tag(LowCardinality.OUTCOME.asString(), outcome)
				.tag("error", error)
				.register(this.meters);
		}

		/** Return the type of an error as observations tell it. */
		String type(Throwable error) {
			return LockOutcome.withoutText(error, this.name).getClass().getSimpleName();
		}

		void acquired(long nanos) {
			Timer known = this.acquired;
			if (known == null) {
				known = timer(LockObservation.WAIT, LockOutcome.ACQUIRED, KeyValue.NONE_VALUE);
				this.acquired = known;
			}
			known.record(nanos, TimeUnit.NANOSECONDS);
		}

		void released(long nanos) {
			Timer known = this.released;
			if (known == null) {
				known = timer(LockObservation.HOLD, LockOutcome.RELEASED, KeyValue.NONE_VALUE);
				this.released = known;
			}
			known.record(nanos, TimeUnit.NANOSECONDS);
		}

	}

	private static final class TimedWait implements Wait {

		private final LockTimers timers;

		private final long startedAt;

		TimedWait(LockTimers timers) {
			this.timers = timers;
			this.startedAt = timers.now();
		}

		@Override
		public Hold acquired(long token) {
			long now = this.timers.now();
			this.timers.acquired(now - this.startedAt);
			return new TimedHold(this.timers, now);
		}

		@Override
		public void reentered() {
			ended(LockOutcome.REENTERED, KeyValue.NONE_VALUE);
		}

		@Override
		public void failed(Throwable reason) {
			Throwable error = LockOutcome.error(reason);
			ended(LockOutcome.of(reason), (error != null) ? this.timers.type(error) : KeyValue.NONE_VALUE);
		}

		private void ended(String outcome, String error) {
			this.timers.timer(LockObservation.WAIT, outcome, error)
				.record(this.timers.now() - this.startedAt, TimeUnit.NANOSECONDS);
		}

	}

	private static final class TimedHold implements Hold {

		private final LockTimers timers;

		private final long startedAt;

		TimedHold(LockTimers timers, long startedAt) {
			this.timers = timers;
			this.startedAt = startedAt;
		}

		@Override
		public void released() {
			this.timers.released(this.timers.now() - this.startedAt);
		}

		@Override
		public void releaseFailed(Throwable failure) {
			ended(LockOutcome.UNCONFIRMED, this.timers.type(failure));
		}

		@Override
		public void lost(LossReason reason, @Nullable Throwable cause) {
			ended(LockOutcome.LOST, LockLostException.class.getSimpleName());
		}

		private void ended(String outcome, String error) {
			this.timers.timer(LockObservation.HOLD, outcome, error)
				.record(this.timers.now() - this.startedAt, TimeUnit.NANOSECONDS);
		}

	}

}
