package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Explains a switch that is neither on nor off. */
final class InvalidLockSwitchFailureAnalyzer extends LockBindingFailureAnalyzer {

	InvalidLockSwitchFailureAnalyzer() {
		super("it is neither true nor false");
	}

	@Override
	@Nullable String remedy(Class<?> type) {
		return (type == Boolean.class || type == boolean.class) ? "Write true or false." : null;
	}

}
