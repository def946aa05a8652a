package io.distributedlock.reactive;

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * The observation of a subscriber, which travels in the Reactor context: what is observed
 * of a request belongs to it. The only class here that needs Micrometer.
 */
final class ParentObservation {

	/** Whether there can be one. */
	static final boolean IS_POSSIBLE = ClassUtils.isPresent("io.micrometer.observation.Observation",
			ParentObservation.class.getClassLoader());

	/** As {@code ObservationThreadLocalAccessor.KEY}. */
	private static final String KEY = "micrometer.observation";

	private ParentObservation() {
	}

	/** Call with the observation of a subscriber as the current one, if there is one. */
	static <T> T around(ContextView context, Supplier<T> call) {
		if (!(context.getOrDefault(KEY, null) instanceof Observation parent) || parent.isNoop()) {
			return call.get();
		}
		Observation.Scope scope = parent.openScope();
		try {
			return call.get();
		}
		finally {
			scope.close();
		}
	}

}
