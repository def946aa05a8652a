package io.distributedlock.autoconfigure;

import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Says of a property that does not exist which one may be meant, and of one that exists
 * that it is empty, for which Spring Boot has the same exception. Comes before the
 * general analysis of unbound properties, which only repeats the name.
 */
final class UnknownLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException>
		implements Ordered {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(DistributedLockProperties.PREFIX);

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		if (!cause.getUnboundProperties().stream().allMatch((property) -> PREFIX.isAncestorOf(property.getName()))) {
			return null;
		}
		String description = cause.getUnboundProperties()
			.stream()
			.map(UnknownLockPropertyFailureAnalyzer::description)
			.collect(Collectors.joining("\n", "The locks cannot be configured:\n", ""));
		String action = cause.getUnboundProperties()
			.stream()
			.map(UnknownLockPropertyFailureAnalyzer::action)
			.distinct()
			.collect(Collectors.joining("\n"));
		return new FailureAnalysis(description, action, cause);
	}

	private static String description(ConfigurationProperty property) {
		Object origin = property.getOrigin();
		return """

				Property: %s
				Value: "%s"
				Origin: %s
				Reason: %s""".formatted(property.getName(), MaskedAddress.of(String.valueOf(property.getValue())),
				(origin != null) ? origin : "unknown", isEmpty(property) ? "it is empty" : "there is no such property");
	}

	private static boolean isEmpty(ConfigurationProperty property) {
		return String.valueOf(property.getValue()).isBlank() && PropertyNames.beside(property.getName()).exists();
	}

	private static String action(ConfigurationProperty property) {
		ConfigurationPropertyName name = property.getName();
		if (isEmpty(property)) {
			return "Give %s a value, or remove it.".formatted(name);
		}
		PropertyNames names = PropertyNames.beside(name);
		String meant = names.nearest();
		return ((meant != null) ? "Use %s instead of %s.".formatted(meant, name) : "Remove %s.".formatted(name))
				+ " There are %s.".formatted(String.join(", ", names.all()));
	}

}
