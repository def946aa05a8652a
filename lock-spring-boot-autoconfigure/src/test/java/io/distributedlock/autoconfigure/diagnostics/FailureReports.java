package io.distributedlock.autoconfigure.diagnostics;

import java.util.Objects;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.StandardEnvironment;

/** The analysis of a failed start. */
public final class FailureReports {

	private FailureReports() {
	}

	/** Ask the analyzers in the order that Spring Boot gives them. */
	public static FailureAnalysis of(Throwable failure) {
		FailureAnalysis ofPostgres = new PostgresFailureAnalyzer().analyze(failure);
		return (ofPostgres != null) ? ofPostgres
				: Objects.requireNonNull(new LockFailureAnalyzer(new StandardEnvironment()).analyze(failure));
	}

}
