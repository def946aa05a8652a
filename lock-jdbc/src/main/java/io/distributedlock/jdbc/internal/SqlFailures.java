package io.distributedlock.jdbc.internal;

import java.sql.SQLException;
import java.util.Set;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;

/** Failures of statements by their SQL states. */
final class SqlFailures {

	/** The server ends connections: it restarts, or an administrator has ended one. */
	private static final Set<String> ENDED = Set.of("57P01", "57P02", "57P03");

	/**
	 * Classes that a person has to repair: data, constraints, login, unknown database or
	 * schema, syntax and permissions.
	 */
	private static final Set<String> MISCONFIGURED = Set.of("22", "23", "28", "3D", "3F", "42");

	private SqlFailures() {
	}

	/** Return whether the server has answered, so that the connection is good. */
	static boolean isAnswer(SQLException failure) {
		String state = state(failure);
		return state.length() == 5 && !state.startsWith("08") && !ENDED.contains(state);
	}

	/** Return whether the connection was dead before the statement came. */
	static boolean isDeadConnection(SQLException failure) {
		String state = state(failure);
		return state.startsWith("08") || ENDED.contains(state);
	}

	/** Return whether another transaction kept a row locked for too long. */
	static boolean isBlocked(SQLException failure) {
		return state(failure).equals("55P03");
	}

	/** Return whether another transaction was faster. */
	static boolean isConflict(SQLException failure) {
		return state(failure).startsWith("40");
	}

	static LockStoreException translate(SQLException failure) {
		String state = state(failure);
		boolean misconfigured = state.length() == 5 && MISCONFIGURED.contains(state.substring(0, 2));
		return new LockStoreException(misconfigured ? Kind.MISCONFIGURED : Kind.UNAVAILABLE,
				"PostgreSQL has not run a statement of the locks"
						+ (state.isEmpty() ? ": " : " (SQL state " + state + "): ") + failure.getMessage(),
				failure);
	}

	private static String state(SQLException failure) {
		String state = failure.getSQLState();
		return (state != null) ? state : "";
	}

}
