package io.distributedlock.autoconfigure;

import java.util.Objects;
import java.util.function.Function;
import java.util.stream.StreamSupport;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Explains an {@link InvalidLockPropertyException}.
 */
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockPropertyException> {

	private final Environment environment;

	InvalidLockPropertyFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockPropertyException cause) {
		String description = """
				The locks cannot be configured:

				    Property: %s
				    Value: "%s"
				    Origin: %s
				    Reason: it %s""".formatted(cause.getProperty(), cause.getValue(), origin(cause.getProperty()),
				cause.getProblem());
		return new FailureAnalysis(description, cause.getRemedy() + ".", cause);
	}

	private Object origin(String property) {
		ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
		return StreamSupport.stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
			.map((source) -> (name != null) ? source.getConfigurationProperty(name) : null)
			.filter(Objects::nonNull)
			.findFirst()
			.map(ConfigurationProperty::getOrigin)
			.<Object>map(Function.identity())
			.orElse("unknown");
	}

}
