package io.distributedlock;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The configured options, global and by lock name, and their order of precedence.
 * Immutable and thread-safe.
 *
 * @since 0.1.0
 */
public final class LockProfiles {

	/** No configuration: {@link LockOptions#DEFAULTS} for every lock. */
	public static final LockProfiles DEFAULTS = new LockProfiles(LockOptions.NONE, Map.of());

	private final LockOptions global;

	private final Map<String, LockOptions> named;

	/**
	 * Create profiles.
	 * @param global the options that apply if a lock does not set its own
	 * @param named the options by lock name; they win over all others
	 */
	public LockProfiles(LockOptions global, Map<String, LockOptions> named) {
		this.global = global.orElse(LockOptions.DEFAULTS);
		this.named = Map.copyOf(named);
	}

	/**
	 * Resolve the options of a lock: those configured for its name, then the requested
	 * ones, then the global ones, then the defaults. A lock with {@code keepFor} and no
	 * wait of its own does not wait.
	 * @param name the name of the lock, maybe empty
	 * @param requested the options of the request or annotation
	 * @return options in which only {@code maxHold} may be {@code null}
	 * @throws IllegalArgumentException if the result cannot work
	 */
	public LockOptions resolve(String name, LockOptions requested) {
		LockOptions own = ownOptions(name, requested);
		requireSemaphore(name, own);
		if (own.waitFor() == null && own.keepFor() != null && own.keepFor().compareTo(Duration.ZERO) > 0) {
			own = own.withWaitFor(Duration.ZERO);
		}
		return own.orElse(this.global).requireUsable();
	}

	/**
	 * Check that a lock whose profile has permits is a semaphore. If the profile has no
	 * mode, the annotation or the request must set that one.
	 */
	private void requireSemaphore(String name, LockOptions own) {
		LockOptions profile = this.named.isEmpty() ? null : this.named.get(name);
		if (profile != null && profile.permits() != null && own.mode() != LockMode.SEMAPHORE) {
			throw new IllegalArgumentException(
					"distributed-lock.locks.%s.permits is %d, but the mode of this lock is %s: set distributed-lock.locks.%1$s.mode=semaphore beside it, or remove it"
						.formatted(name, profile.permits(), (own.mode() != null) ? own.mode() : LockMode.EXCLUSIVE));
		}
	}

	/**
	 * Return the options of a lock itself: those configured for its name, then the
	 * requested ones.
	 * @param name the name of the lock, maybe empty
	 * @param requested the options of the request or annotation
	 * @return the options; those that the global ones or the defaults decide are not set
	 */
	public LockOptions ownOptions(String name, LockOptions requested) {
		return this.named.isEmpty() ? requested : this.named.getOrDefault(name, LockOptions.NONE).orElse(requested);
	}

	/**
	 * The names that have a profile of their own.
	 * @return the names
	 */
	public Set<String> names() {
		return this.named.keySet();
	}

}
