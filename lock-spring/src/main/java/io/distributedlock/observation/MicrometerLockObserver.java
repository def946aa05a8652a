package io.distributedlock.observation;

import java.util.List;

import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockObserver;
import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@linkplain LockObservation observations} of waits and holds. Both are children
 * of the observation that was current where the caller requested the lock, even if they
 * end on other threads. Neither opens a scope, so observations of the body are siblings
 * of the hold, not its children. Errors have neither text, which may name keys, nor a
 * cause, unless a {@link DefaultLockObservationConvention} shows the keys. Thread-safe.
 *
 * @since 0.1.0
 */
public final class MicrometerLockObserver implements LockObserver {

	private final ObservationRegistry registry;

	private final LockObservationConvention convention;

	private final boolean showsKeys;

	/**
	 * Create an observer with the default convention, which leaves out the keys.
	 * @param registry the registry of the observations
	 */
	public MicrometerLockObserver(ObservationRegistry registry) {
		this(registry, new DefaultLockObservationConvention());
	}

	/**
	 * Create an observer.
	 * @param registry the registry of the observations
	 * @param convention their names and key values; it wins over global conventions of
	 * the registry
	 */
	public MicrometerLockObserver(ObservationRegistry registry, LockObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
		this.showsKeys = convention instanceof DefaultLockObservationConvention known && known.includesKey();
	}

	@Override
	public boolean isObserving() {
		return !this.registry.isNoop();
	}

	@Override
	public @Nullable Wait waiting(String name, List<String> keys, LockMode mode) {
		Observation parent = this.registry.getCurrentObservation();
		LockObservationContext context = new LockObservationContext(LockObservation.WAIT, name, keys, mode);
		Observation wait = start(context, parent);
		return wait.isNoop() ? null : new ObservedWait(wait, context, parent);
	}

	/** Start with this parent: another thread may have another current observation. */
	private Observation start(LockObservationContext context, @Nullable Observation parent) {
		if (this.registry.getCurrentObservation() == parent) {
			return create(context).start();
		}
		Observation.Scope apart = new NullObservation(this.registry).openScope();
		try {
			Observation observation = create(context);
			context.setParentObservation(parent);
			return observation.start();
		}
		finally {
			apart.close();
		}
	}

	private Observation create(LockObservationContext context) {
		return Observation.createNotStarted(context.getObservation().getName(), () -> context, this.registry)
			.observationConvention(this.convention);
	}

	private void stop(Observation observation, LockObservationContext context, String outcome,
			@Nullable Throwable error) {
		context.setOutcome(outcome);
		if (error != null) {
			observation.error(this.showsKeys ? error : LockOutcome.withoutText(error, context.getLockName()));
		}
		observation.stop();
	}

	private final class ObservedWait implements Wait {

		private final Observation observation;

		private final LockObservationContext context;

		private final @Nullable Observation parent;

		ObservedWait(Observation observation, LockObservationContext context, @Nullable Observation parent) {
			this.observation = observation;
			this.context = context;
			this.parent = parent;
		}

		@Override
		public @Nullable Hold acquired(long token) {
			this.context.setToken(token);
			stop(this.observation, this.context, LockOutcome.ACQUIRED, null);
			LockObservationContext held = new LockObservationContext(LockObservation.HOLD, this.context.getLockName(),
					this.context.getKeys(), this.context.getMode());
			held.setToken(token);
			Observation hold = start(held, this.parent);
			return hold.isNoop() ? null : new ObservedHold(hold, held);
		}

		@Override
		public void reentered() {
			stop(this.observation, this.context, LockOutcome.REENTERED, null);
		}

		@Override
		public void failed(Throwable reason) {
			stop(this.observation, this.context, LockOutcome.of(reason), LockOutcome.error(reason));
		}

	}

	private final class ObservedHold implements Hold {

		private final Observation observation;

		private final LockObservationContext context;

		ObservedHold(Observation observation, LockObservationContext context) {
			this.observation = observation;
			this.context = context;
		}

		@Override
		public void released() {
			stop(this.observation, this.context, LockOutcome.RELEASED, null);
		}

		@Override
		public void releaseFailed(Throwable failure) {
			stop(this.observation, this.context, LockOutcome.UNCONFIRMED, failure);
		}

		@Override
		public void lost(LossReason reason, @Nullable Throwable cause) {
			stop(this.observation, this.context, LockOutcome.LOST, new LockLostException(this.context.getLockName(),
					String.join(", ", this.context.getKeys()), reason, false, cause));
		}

	}

}
