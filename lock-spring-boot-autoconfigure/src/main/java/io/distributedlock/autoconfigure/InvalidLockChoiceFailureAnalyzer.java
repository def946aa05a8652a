package io.distributedlock.autoconfigure;

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
 * Lists the choices of a property as one writes them. Comes before the general analysis
 * of binding failures, which also lists those that are only for the annotation.
 */
final class InvalidLockChoiceFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(DistributedLockProperties.PREFIX);

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		Class<?> type = cause.getTarget().getType().resolve(Object.class);
		if (!PREFIX.isAncestorOf(cause.getName()) || !type.isEnum()) {
			return null;
		}
		return new FailureAnalysis(description(cause.getName(), cause.getProperty()),
				"Use one of these: %s.".formatted(choices(type)), cause);
	}

	/** To defer to the next source is what a property does that is not there. */
	private static String choices(Class<?> type) {
		return Arrays.stream(type.getEnumConstants())
			.map((choice) -> ((Enum<?>) choice).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.filter((choice) -> !choice.equals("default"))
			.collect(Collectors.joining(", "));
	}

	private static String description(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
		Object value = (property != null) ? property.getValue() : "";
		Object origin = (property != null) ? property.getOrigin() : null;
		return """
				The locks cannot be configured:

				    Property: %s
				    Value: "%s"
				    Origin: %s
				    Reason: it is not one of the choices""".formatted(name, value,
				(origin != null) ? origin : "unknown");
	}

}
