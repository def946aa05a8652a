package io.distributedlock.autoconfigure.diagnostics;

import io.distributedlock.jdbc.UnsuitableTableException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Explains why an application whose locks are in PostgreSQL does not start, with the
 * statements that help. Comes before the analyzer for any store, and is left out if
 * {@code lock-jdbc} is missing.
 */
final class PostgresFailureAnalyzer extends AbstractFailureAnalyzer<UnsuitableTableException> implements Ordered {

	private static final String WHERE = """
			%s

			The database is that of distributed-lock.postgresql.url, or else of the application's data source, the table \
			that of distributed-lock.postgresql.table. Flyway and Liquibase find the definition in the resource \
			io/distributedlock/jdbc/migration/R__distributed_lock.sql, and with \
			distributed-lock.postgresql.initialize-schema=always the start makes a missing table.""";

	@Override
	public int getOrder() {
		return -1;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnsuitableTableException failure) {
		return new FailureAnalysis("The locks cannot be kept in PostgreSQL:\n\n    The table '%s' %s."
			.formatted(failure.getTable(), failure.getProblem()), WHERE.formatted(failure.getRemedy()), failure);
	}

}
