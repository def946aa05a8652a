package io.distributedlock.interceptor;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Finds methods that do not agree on whether a lock is a semaphore, or on its permits.
 * Refuses the second one where both certainly mean the same lock, and warns where they
 * write the same expression, which may yield the same key, once for each expression.
 * Anything else is found by the call that meets the other one.
 */
final class SemaphoreCheck {

	private static final Log logger = LogFactory.getLog(SemaphoreCheck.class);

	private final Map<Place, MethodLockSpec> literals = new ConcurrentHashMap<>();

	private final Map<Place, MethodLockSpec> expressions = new ConcurrentHashMap<>();

	private final Set<Place> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Check a lock against those that were checked before.
	 * @param spec the lock
	 */
	void check(MethodLockSpec spec) {
		for (String key : spec.literalKeys()) {
			MethodLockSpec known = this.literals.putIfAbsent(Place.of(spec, key), spec);
			if (known != null && !isSameKind(known, spec)) {
				throw new InvalidLockDeclarationException(spec.targetClass(), spec.method(),
						"it takes lock '%s' in %s, but %s takes it in %s"
							.formatted(LockException.described(spec.name(), key), kind(spec), known, kind(known)),
						"Use the same mode and permits for both, or give one of them another name or key");
			}
		}
		for (String text : spec.keyExpressions()) {
			Place place = Place.of(spec, text);
			MethodLockSpec known = this.expressions.putIfAbsent(place, spec);
			if (known != null && !isSameKind(known, spec) && this.warned.add(place)) {
				warn(known, spec, text);
			}
		}
	}

	private static void warn(MethodLockSpec known, MethodLockSpec spec, String text) {
		logger.warn(("%s takes the lock of key %s%s in %s, and %s in %s. Where both yield the same key, a call fails"
				+ " that meets one of the other. Use the same mode and permits for both, or another name for one of them")
			.formatted(known, text, spec.name().isEmpty() ? "" : " and name '" + spec.name() + "'", kind(known), spec,
					kind(spec)));
	}

	private static boolean isSameKind(MethodLockSpec one, MethodLockSpec other) {
		return Objects.equals(one.options().permits(), other.options().permits());
	}

	/** Only semaphores have permits. */
	private static String kind(MethodLockSpec spec) {
		Integer permits = spec.options().permits();
		return "mode " + spec.options().mode() + ((permits != null) ? " with permits " + permits : "");
	}

	/**
	 * What two locks have in common that are the same one.
	 *
	 * @param registry the bean name of the registry
	 * @param name the namespace of the key
	 * @param key the key, or the expression that yields it
	 */
	private record Place(String registry, String name, String key) {

		static Place of(MethodLockSpec spec, String key) {
			return new Place(spec.registry(), spec.name(), key);
		}

	}

}
