package io.distributedlock.jdbc;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Exception for a database that answers but has no table in which locks can be kept. The
 * table is missing, of another version, or may not be used, or the database is no
 * PostgreSQL, too old, a standby, refuses the login, or lets the user only read.
 *
 * @since 0.1.0
 */
public final class UnsuitableTableException extends LockStoreException {

	private final String table;

	private final String problem;

	private final String remedy;

	UnsuitableTableException(String table, String problem, String remedy, @Nullable Throwable cause) {
		super(Kind.MISCONFIGURED, "The table '%s' of the locks %s. %s".formatted(table, problem, oneLine(remedy)),
				cause);
		this.table = table;
		this.problem = problem;
		this.remedy = remedy;
	}

	/** Messages of exceptions have one line. */
	private static String oneLine(String text) {
		return text.replaceAll("\\s+", " ").strip();
	}

	/**
	 * The table.
	 * @return its name, perhaps with its schema
	 */
	public String getTable() {
		return this.table;
	}

	/**
	 * The problem with the table.
	 * @return the rest of a sentence that begins with the table
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * The remedy.
	 * @return a sentence, which may end with SQL on lines of its own
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
