package io.distributedlock.engine;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Says in messages who has a lock that is busy. Looks into queues, so not to be asked
 * under the monitor of one.
 */
final class HolderNames {

	private static final String THIS_INSTANCE = "this instance";

	private final String instance;

	private final KeySets sets;

	HolderNames(String instance, KeySets sets) {
		this.instance = instance;
		this.sets = sets;
	}

	static String of(Grant held) {
		return (held.owner() instanceof Thread thread) ? "thread '%s' of %s".formatted(thread.getName(), THIS_INSTANCE)
				: THIS_INSTANCE;
	}

	/**
	 * The store knows instances only, and one of several keys may be busy in this one.
	 * @param key the key that is busy
	 * @param answer what the store has said, {@code null} if nothing
	 */
	@Nullable String of(LockKey key, AcquireOutcome.@Nullable Busy answer) {
		if (answer == null) {
			return null;
		}
		if (answer.holder().isEmpty()) {
			return "nobody, but it is kept for a while";
		}
		if (!answer.holder().equals(this.instance)) {
			return "instance " + answer.holder();
		}
		Grant held = this.sets.heldHere(key);
		return (held != null) ? of(held) : THIS_INSTANCE;
	}

}
