package io.distributedlock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The names and key values of the observations of locks, where they differ from
 * {@link LockObservation}. One convention serves waits and holds. A bean of this type
 * replaces the default.
 *
 * @since 0.1.0
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

}
