package io.distributedlock.interceptor.startup;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import io.distributedlock.interceptor.MethodLockSpec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of locks of several methods that are probably not what was meant: keys without a
 * name in several classes, and a key that is a semaphore in one place and a lock, or a
 * semaphore with other permits, in another. A call that meets the other kind fails.
 */
final class LockConflicts {

	private static final Log logger = LogFactory.getLog(LockConflicts.class);

	private LockConflicts() {
	}

	static void warn(List<MethodLockSpec> locks) {
		warnOfKeysWithoutName(locks);
		Map<Place, MethodLockSpec> first = new HashMap<>();
		Map<Place, MethodLockSpec> other = new HashMap<>();
		for (MethodLockSpec lock : locks) {
			for (String key : lock.keyExpressions()) {
				Place place = new Place(lock.registry(), lock.name(), key);
				MethodLockSpec known = first.putIfAbsent(place, lock);
				if (known != null && !Objects.equals(known.options().permits(), lock.options().permits())) {
					other.put(place, lock);
				}
			}
		}
		other.forEach((place, lock) -> warnOfOtherKind(place, Objects.requireNonNull(first.get(place)), lock));
	}

	private static void warnOfKeysWithoutName(List<MethodLockSpec> locks) {
		Set<String> classes = new TreeSet<>();
		for (MethodLockSpec lock : locks) {
			if (lock.name().isEmpty() && !lock.keyExpressions().isEmpty()) {
				classes.add(lock.targetClass().getName());
			}
		}
		if (classes.size() > 1) {
			logger.warn("Several classes lock keys without a name, so equal keys exclude each other across them: "
					+ classes + ". Give each its own name if that is not meant.");
		}
	}

	private static void warnOfOtherKind(Place place, MethodLockSpec one, MethodLockSpec other) {
		logger.warn(("%s takes the lock of key %s%s in %s, and %s in %s. Where both yield the same key, a call fails"
				+ " that meets one of the other. Use the same mode and permits for both, or another name for one of them")
			.formatted(one, place.key(), place.name().isEmpty() ? "" : " and name '" + place.name() + "'", kind(one),
					other, kind(other)));
	}

	/** Only semaphores have permits. */
	private static String kind(MethodLockSpec lock) {
		Integer permits = lock.options().permits();
		return "mode " + lock.options().mode() + ((permits != null) ? " with permits " + permits : "");
	}

	/**
	 * The place of a lock: two locks of the same place are probably the same.
	 *
	 * @param registry the bean name of the registry
	 * @param name the namespace of the key
	 * @param key the expression of the key
	 */
	private record Place(String registry, String name, String key) {
	}

}
