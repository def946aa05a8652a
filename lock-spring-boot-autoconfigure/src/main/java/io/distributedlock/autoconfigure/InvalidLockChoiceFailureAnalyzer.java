package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Lists the choices of a property as one writes them, without those that are only for the
 * annotation.
 */
final class InvalidLockChoiceFailureAnalyzer extends LockBindingFailureAnalyzer {

	InvalidLockChoiceFailureAnalyzer() {
		super("it is not one of the choices");
	}

	@Override
	@Nullable String remedy(Class<?> type) {
		return type.isEnum() ? "Use one of these: %s.".formatted(choices(type)) : null;
	}

	/** To defer to the next source is what a property does that is not there. */
	private static String choices(Class<?> type) {
		return Arrays.stream(type.getEnumConstants())
			.map((choice) -> ((Enum<?>) choice).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.filter((choice) -> !choice.equals("default"))
			.collect(Collectors.joining(", "));
	}

}
