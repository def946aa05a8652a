package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** Explains a duration that cannot be read, and how to write one. */
final class InvalidLockDurationFailureAnalyzer extends LockBindingFailureAnalyzer {

	InvalidLockDurationFailureAnalyzer() {
		super("it is not a duration");
	}

	@Override
	@Nullable String remedy(Class<?> type) {
		return (type == Duration.class)
				? "Write a number with a unit (ms, s, m, h, d) or in ISO 8601, such as 10s or PT10S." : null;
	}

}
