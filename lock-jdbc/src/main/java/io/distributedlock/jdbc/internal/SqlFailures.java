package io.distributedlock.jdbc.internal;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.Set;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;

/** Failures of statements by their SQL states. */
final class SqlFailures {

	/**
	 * The server ends connections: it restarts, an administrator has ended one, or it was
	 * idle or in a transaction for too long.
	 */
	private static final Set<String> ENDED = Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "25P04");

	/**
	 * The connection to the server behind a pooler has no prepared statement of this
	 * name, or another one.
	 */
	private static final Set<String> PREPARED = Set.of("26000", "42P05");

	/** The server and the driver know no way to log in. */
	private static final String LOGIN = "08004";

	/** The server has become a replica. */
	private static final String READ_ONLY = "25006";

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

	/** Return whether the answer has not come in time. */
	static boolean isLate(SQLException failure) {
		return failure.getCause() instanceof SocketTimeoutException;
	}

	/** Return whether the statement was not run, and another connection may do so. */
	static boolean isUselessConnection(SQLException failure) {
		String state = state(failure);
		return (state.startsWith("08") && !state.equals(LOGIN)) || ENDED.contains(state) || state.equals(READ_ONLY)
				|| isOfPooler(failure);
	}

	static boolean isOfPooler(SQLException failure) {
		return PREPARED.contains(state(failure));
	}

	/** Return whether another transaction kept a row locked for too long. */
	static boolean isBlocked(SQLException failure) {
		return state(failure).equals("55P03");
	}

	/** Return whether some session of the server does not fetch its messages. */
	static boolean isTooManyMessages(SQLException failure) {
		return state(failure).equals("54000");
	}

	/** Return whether another transaction was faster. */
	static boolean isConflict(SQLException failure) {
		return state(failure).startsWith("40");
	}

	/** Return whether another transaction has added the row first. */
	static boolean isDuplicate(SQLException failure) {
		return state(failure).equals("23505");
	}

	/**
	 * Return the failure of a command that got no connection, with the reason. A pool
	 * wraps that, and itself only says that it waited.
	 */
	static SQLException notConnected(SQLException failure) {
		String reason = reason(failure);
		String said = String.valueOf(failure.getMessage());
		return new SQLException(
				"The pool of the locks had no connection: " + (reason.startsWith(said) ? reason : said + ": " + reason),
				failure.getSQLState(), failure);
	}

	/** Return what the driver said, which a pool may have wrapped, with its cause. */
	static String reason(SQLException failure) {
		Throwable reason = failure;
		while (reason.getCause() instanceof SQLException inner) {
			reason = inner;
		}
		return reason.getMessage() + ((reason.getCause() != null) ? ": " + reason.getCause() : "");
	}

	static LockStoreException translate(SQLException failure) {
		String state = state(failure);
		boolean misconfigured = state.length() == 5 && !isOfPooler(failure)
				&& MISCONFIGURED.contains(state.substring(0, 2));
		return new LockStoreException(misconfigured ? Kind.MISCONFIGURED : Kind.UNAVAILABLE,
				"PostgreSQL has not run a statement of the locks"
						+ (state.isEmpty() ? ": " : " (SQL state " + state + "): ")
						+ said(failure).replaceAll("\\s+", " "),
				failure);
	}

	/** A pool only says that it waited, and keeps the server's reason as the cause. */
	private static String said(SQLException failure) {
		return (failure.getCause() instanceof SQLException cause) ? failure.getMessage() + ": " + cause.getMessage()
				: String.valueOf(failure.getMessage());
	}

	private static String state(SQLException failure) {
		String state = failure.getSQLState();
		return (state != null) ? state : "";
	}

}
