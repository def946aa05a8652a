package io.distributedlock.autoconfigure.diagnostics;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Explains names and values of {@code distributed-lock.*} that cannot work.
 */
final class PropertyFailures {

	static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("distributed-lock");

	private static final String PROBLEM = "The locks cannot be configured:";

	private PropertyFailures() {
	}

	/** A value that was read, and that a rule refuses. */
	static FailureAnalysis invalid(InvalidLockPropertyException invalid, Environment environment) {
		return new FailureAnalysis(
				PROBLEM + describe(invalid.getProperty(), invalid.getValue(),
						origin(invalid.getProperty(), environment), "it " + invalid.getProblem()),
				invalid.getRemedy() + ".", invalid);
	}

	/** A name that does not exist, or a value that cannot be read. */
	static @Nullable FailureAnalysis unbound(ConfigurationPropertiesBindException failure) {
		for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
			if (cause instanceof BindException unreadable && PREFIX.isAncestorOf(unreadable.getName())) {
				return unreadable(unreadable);
			}
			if (cause instanceof UnboundConfigurationPropertiesException unknown && unknown.getUnboundProperties()
				.stream()
				.allMatch((property) -> PREFIX.isAncestorOf(property.getName()))) {
				return unknown(unknown, new PropertyNames(PREFIX, failure.getBeanType()));
			}
		}
		return null;
	}

	private static @Nullable FailureAnalysis unreadable(BindException failure) {
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(failure.getTarget().getType().resolve(Object.class));
		ConfigurationProperty property = failure.getProperty();
		Object value = (property != null) ? property.getValue() : "";
		String[] problem = problem(type);
		return (problem.length == 0) ? null : new FailureAnalysis(PROBLEM
				+ describe(failure.getName(), value, (property != null) ? property.getOrigin() : null, problem[0]),
				problem[1], failure);
	}

	/** What is wrong with a value for a type, and what to write instead. */
	private static String[] problem(Class<?> type) {
		if (type.isEnum()) {
			return new String[] { "it is not one of the choices", "Use one of these: %s.".formatted(choices(type)) };
		}
		if (type == Duration.class) {
			return new String[] { "it is not a duration",
					"Write a number with a unit (ms, s, m, h, d) or in ISO 8601, such as 10s or PT10S." };
		}
		if (type == Integer.class) {
			return new String[] { "it is not a whole number", "Write a number such as 5." };
		}
		return (type == Boolean.class) ? new String[] { "it is neither true nor false", "Write true or false." }
				: new String[0];
	}

	/** A property that is not there defers to the next source, so it needs no choice. */
	private static String choices(Class<?> type) {
		return Arrays.stream(type.getEnumConstants())
			.map((choice) -> ((Enum<?>) choice).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.filter((choice) -> !choice.equals("default"))
			.collect(Collectors.joining(", "));
	}

	private static FailureAnalysis unknown(UnboundConfigurationPropertiesException failure, PropertyNames names) {
		return new FailureAnalysis(failure.getUnboundProperties()
			.stream()
			.map((property) -> describe(property.getName(), MaskedAddress.of(String.valueOf(property.getValue())),
					property.getOrigin(), isEmpty(property, names) ? "it is empty" : "there is no such property"))
			.collect(Collectors.joining("", PROBLEM, "")),
				failure.getUnboundProperties()
					.stream()
					.map((property) -> isEmpty(property, names)
							? "Give %s a value, or remove it.".formatted(property.getName())
							: names.remedy(property.getName()))
					.distinct()
					.collect(Collectors.joining("\n")),
				failure);
	}

	/** Spring Boot has the same exception for a property that exists and is empty. */
	private static boolean isEmpty(ConfigurationProperty property, PropertyNames names) {
		return String.valueOf(property.getValue()).isBlank() && names.contains(property.getName());
	}

	private static String describe(Object name, Object value, @Nullable Object origin, String reason) {
		return "\n\n    Property: %s\n    Value: \"%s\"\n    Origin: %s\n    Reason: %s".formatted(name, value,
				(origin != null) ? origin : "unknown", reason);
	}

	/** An element of a list may come from one text for all, and a list from its first. */
	private static @Nullable Object origin(String property, Environment environment) {
		ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
		if (name == null) {
			return null;
		}
		ConfigurationPropertyName related = name.isLastElementIndexed() ? name.getParent() : name.append("[0]");
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			for (ConfigurationPropertyName candidate : List.of(name, related)) {
				ConfigurationProperty found = source.getConfigurationProperty(candidate);
				if (found != null) {
					return found.getOrigin();
				}
			}
		}
		return null;
	}

}
