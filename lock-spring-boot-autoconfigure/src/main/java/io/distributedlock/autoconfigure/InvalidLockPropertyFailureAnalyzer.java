package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Explains an {@link InvalidLockPropertyException}. Is registered before the analysis of
 * what may have caused it, which does not know the property.
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
				    Reason: it %s""".formatted(cause.getProperty(), cause.getValue(),
				PropertyOrigin.of(cause.getProperty(), this.environment), cause.getProblem());
		return new FailureAnalysis(description, cause.getRemedy() + ".", cause);
	}

}
