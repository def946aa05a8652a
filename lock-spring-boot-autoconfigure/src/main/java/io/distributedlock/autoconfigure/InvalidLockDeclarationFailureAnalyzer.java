package io.distributedlock.autoconfigure;

import io.distributedlock.interceptor.InvalidLockDeclarationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells the start-up report which declaration cannot work, and the remedy. */
class InvalidLockDeclarationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDeclarationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDeclarationException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getRemedy(), cause);
	}

}
