package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains an {@link InvalidLockPropertyException}.
 */
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockPropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockPropertyException cause) {
		String description = """
				The locks cannot be configured:

				    Property: %s
				    Value: "%s"
				    Reason: it %s""".formatted(cause.getProperty(), cause.getValue(), cause.getProblem());
		return new FailureAnalysis(description, cause.getRemedy() + ".", cause);
	}

}
