package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Explains a duration that cannot be read. Comes before the general analysis of binding
 * failures, which does not say how to write one.
 */
final class InvalidLockDurationFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(DistributedLockProperties.PREFIX);

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		if (!PREFIX.isAncestorOf(cause.getName()) || cause.getTarget().getType().resolve() != Duration.class) {
			return null;
		}
		return new FailureAnalysis(description(cause.getName(), cause.getProperty()),
				"Write a number with a unit (ms, s, m, h, d) or in ISO 8601, such as 10s or PT10S.", cause);
	}

	private static String description(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
		Object value = (property != null) ? property.getValue() : "";
		Object origin = (property != null) ? property.getOrigin() : null;
		return """
				The locks cannot be configured:

				    Property: %s
				    Value: "%s"
				    Origin: %s
				    Reason: it is not a duration""".formatted(name, value, (origin != null) ? origin : "unknown");
	}

}
