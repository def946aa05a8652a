package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Explains names and values of {@code distributed-lock.*} that cannot work.
 */
final class PropertyFailures {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("distributed-lock");

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

	/** A name that does not exist, or has no value. */
	static @Nullable FailureAnalysis unbound(ConfigurationPropertiesBindException failure) {
		for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
			if (cause instanceof UnboundConfigurationPropertiesException unknown && unknown.getUnboundProperties()
				.stream()
				.allMatch((property) -> PREFIX.isAncestorOf(property.getName()))) {
				return unknown(unknown, new PropertyNames(PREFIX, failure.getBeanType()));
			}
		}
		return null;
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
