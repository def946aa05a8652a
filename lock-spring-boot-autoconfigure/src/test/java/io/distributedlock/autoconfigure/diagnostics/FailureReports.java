package io.distributedlock.autoconfigure.diagnostics;

import java.util.Objects;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.StandardEnvironment;

/** The analysis of a failed start. */
public final class FailureReports {

	private FailureReports() {
	}

	public static FailureAnalysis of(Throwable failure) {
		return Objects.requireNonNull(new LockFailureAnalyzer(new StandardEnvironment()).analyze(failure));
	}

}
