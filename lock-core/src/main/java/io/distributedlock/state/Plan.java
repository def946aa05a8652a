package io.distributedlock.state;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A decision, which is valid if the state has not changed since.
 *
 * @param <T> the outcome of a command
 * @param outcome the outcome
 * @param replacement the new state, or {@code null} if it stays as it is
 */
record Plan<T>(T outcome, StateLockStore.@Nullable Replacement replacement) {

	List<WakeUp> wakeUps() {
		return (this.replacement != null) ? this.replacement.wakeUps() : List.of();
	}

	/** Return whether the replacement can be sent together with those of other locks. */
	boolean isShared() {
		return this.replacement != null && !this.replacement.takes();
	}

	StateLockStore.Replacement needed() {
		return Objects.requireNonNull(this.replacement);
	}

}
