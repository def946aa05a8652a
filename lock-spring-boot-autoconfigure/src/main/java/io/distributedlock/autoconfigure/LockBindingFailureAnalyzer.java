package io.distributedlock.autoconfigure;

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
abstract class LockBindingFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(DistributedLockProperties.PREFIX);

	private final String reason;

	/**
	 * Create an analyzer.
	 * @param reason what is wrong with the value
	 */
	LockBindingFailureAnalyzer(String reason) {
		this.reason = reason;
	}

	@Override
	public final int getOrder() {
		return 0;
	}

	@Override
	protected final @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		String remedy = PREFIX.isAncestorOf(cause.getName()) ? remedy(cause.getTarget().getType().resolve(Object.class))
				: null;
		return (remedy != null) ? new FailureAnalysis(description(cause.getName(), cause.getProperty()), remedy, cause)
				: null;
	}

	/**
	 * What to write instead.
	 * @param type the type of the property
	 * @return the remedy, or {@code null} if the analyzer is not for this type
	 */
	abstract @Nullable String remedy(Class<?> type);

	private String description(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
		Object value = (property != null) ? property.getValue() : "";
		Object origin = (property != null) ? property.getOrigin() : null;
		return """
				The locks cannot be configured:

				    Property: %s
				    Value: "%s"
				    Origin: %s
				    Reason: %s""".formatted(name, value, (origin != null) ? origin : "unknown", this.reason);
	}

}
