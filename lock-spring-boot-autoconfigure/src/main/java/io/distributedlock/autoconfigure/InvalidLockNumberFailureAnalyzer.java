package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Explains a number that cannot be read. */
final class InvalidLockNumberFailureAnalyzer extends LockBindingFailureAnalyzer {

	InvalidLockNumberFailureAnalyzer() {
		super("it is not a whole number");
	}

	@Override
	@Nullable String remedy(Class<?> type) {
		return (type == Integer.class || type == int.class) ? "Write a number such as 5." : null;
	}

}
