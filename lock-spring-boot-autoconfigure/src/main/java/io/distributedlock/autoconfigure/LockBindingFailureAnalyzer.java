package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Explains a value of our properties that cannot be read. Comes before the general
 * analysis of binding failures, which knows less about the properties.
 */
final class LockBindingFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(DistributedLockProperties.PREFIX);

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		Problem problem = PREFIX.isAncestorOf(cause.getName())
				? problem(cause.getTarget().getType().resolve(Object.class)) : null;
		return (problem != null) ? new FailureAnalysis(description(cause.getName(), cause.getProperty(), problem),
				problem.remedy(), cause) : null;
	}

	private static @Nullable Problem problem(Class<?> type) {
		if (type.isEnum()) {
			return new Problem("it is not one of the choices", "Use one of these: %s.".formatted(choices(type)));
		}
		if (type == Duration.class) {
			return new Problem("it is not a duration",
					"Write a number with a unit (ms, s, m, h, d) or in ISO 8601, such as 10s or PT10S.");
		}
		if (type == Integer.class || type == int.class) {
			return new Problem("it is not a whole number", "Write a number such as 5.");
		}
		return (type == Boolean.class || type == boolean.class)
				? new Problem("it is neither true nor false", "Write true or false.") : null;
	}

	/** To defer to the next source is what a property does that is not there. */
	private static String choices(Class<?> type) {
		return Arrays.stream(type.getEnumConstants())
			.map((choice) -> ((Enum<?>) choice).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.filter((choice) -> !choice.equals("default"))
			.collect(Collectors.joining(", "));
	}

	private static String description(ConfigurationPropertyName name, @Nullable ConfigurationProperty property,
			Problem problem) {
		Object value = (property != null) ? property.getValue() : "";
		Object origin = (property != null) ? property.getOrigin() : null;
		return """
				The locks cannot be configured:

				    Property: %s
				    Value: "%s"
				    Origin: %s
				    Reason: %s""".formatted(name, value, (origin != null) ? origin : "unknown", problem.reason());
	}

	/** What is wrong with a value, and what to write instead. */
	private record Problem(String reason, String remedy) {
	}

}
