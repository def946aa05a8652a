package io.distributedlock.reactive;

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * The observation of a subscriber, in the Reactor context. It is the parent of the
 * observations of a request. Only this class of the package needs Micrometer.
 */
final class ParentObservation {

	/** {@code true} if Micrometer is on the class path. */
	static final boolean IS_POSSIBLE = ClassUtils.isPresent("io.micrometer.observation.Observation",
			ParentObservation.class.getClassLoader());

	/** Same as {@code ObservationThreadLocalAccessor.KEY}. */
	private static final String KEY = "micrometer.observation";

	private ParentObservation() {
	}

	/** Run a call with the observation of a subscriber as current, if there is one. */
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
