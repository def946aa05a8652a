package io.distributedlock.state;

import java.util.List;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Replacement;

/**
 * A decision, which is valid if the states have not changed since.
 *
 * @param <T> the outcome of a command
 * @param outcome the outcome
 * @param from the states of all locks of the command
 * @param replacements the new states of those that change
 */
record Plan<T>(T outcome, List<Expected> from, List<Replacement> replacements) {

	/** Return whether a state changes. */
	boolean changes() {
		return !this.replacements.isEmpty();
	}

	/** Return whether the replacement can be sent together with those of other locks. */
	boolean isShared() {
		return changes() && !only().takes();
	}

	/** Return the replacement of a command for one lock. */
	Replacement only() {
		return this.replacements.get(0);
	}

}
