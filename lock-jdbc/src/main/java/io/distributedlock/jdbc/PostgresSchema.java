package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The table of the locks: its definition, for Flyway, Liquibase or by hand, and the check
 * that it is there. Immutable.
 *
 * @since 0.1.0
 */
public final class PostgresSchema {

	/** The usual name of the table. */
	public static final String DEFAULT_TABLE = "distributed_lock";

	/** The comment of the table, with the version of its columns. */
	static final String VERSION = "distributed-lock 1";

	private static final Pattern NAME = Pattern.compile("([a-z_][a-z0-9_]{0,62}\\.)?[a-z_][a-z0-9_]{0,62}");

	private static final String DEFINITION = """
			CREATE TABLE IF NOT EXISTS %1$s (
				name text COLLATE "C" PRIMARY KEY,
				state text NOT NULL,
				owners text[] NOT NULL,
				token bigint NOT NULL,
				expires timestamptz NOT NULL
			) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
			COMMENT ON TABLE %1$s IS '%2$s';
			""";

	private final String table;

	private PostgresSchema(String table) {
		this.table = table;
	}

	/**
	 * Return the schema for a table.
	 * @param table its name, perhaps after the name of a schema and a point: lower-case
	 * letters, digits and underscores
	 * @return the schema
	 * @throws InvalidSettingException if the name is of another form
	 */
	public static PostgresSchema of(String table) {
		if (!NAME.matcher(table).matches()) {
			throw new InvalidSettingException("table", table,
					"table must be a name of lower-case letters, digits and underscores, perhaps with a schema before it, but is '%s'"
						.formatted(table));
		}
		return new PostgresSchema(table);
	}

	/**
	 * The name of the table.
	 * @return the name, perhaps with its schema
	 */
	public String table() {
		return this.table;
	}

	/**
	 * The statements that create the table unless it is there.
	 * @return SQL, each statement with a semicolon at the end of a line
	 */
	public String ddl() {
		return DEFINITION.formatted(this.table, VERSION);
	}

	/**
	 * Create the table unless it is there. Several instances may do so at a time.
	 * @param dataSource connections of a user who may create it
	 * @throws LockStoreException if that fails, with the statements in its message
	 */
	public void create(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			if (!Found.in(connection, this.table).exists()) {
				create(connection);
			}
		}
		catch (SQLException ex) {
			throw refused("cannot be created: " + ex.getMessage(), ex);
		}
	}

	/** IF NOT EXISTS fails for the second of two that create it at a time. */
	private void create(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.execute("SELECT pg_advisory_xact_lock(hashtext('" + VERSION + ' ' + this.table + "'))");
			statement.execute(ddl());
			connection.commit();
		}
		catch (SQLException ex) {
			connection.rollback();
			throw ex;
		}
		finally {
			connection.setAutoCommit(true);
		}
	}

	/**
	 * Check that the table is there, has the columns of this version, and may be used.
	 * @param dataSource connections of the store
	 * @throws LockStoreException of kind {@code MISCONFIGURED} if a person has to act,
	 * with the statements in its message, and of kind {@code UNAVAILABLE} if the database
	 * does not answer
	 */
	public void check(DataSource dataSource) {
		Found found;
		try (Connection connection = dataSource.getConnection()) {
			found = Found.in(connection, this.table);
		}
		catch (SQLException ex) {
			throw new LockStoreException(Kind.UNAVAILABLE,
					"Cannot check the table '%s' of the locks: %s".formatted(this.table, ex.getMessage()), ex);
		}
		if (!found.exists()) {
			throw refused("does not exist", null);
		}
		if (!VERSION.equals(found.comment())) {
			throw refused("has the comment '%s' in place of '%s'".formatted(found.comment(), VERSION), null);
		}
		if (!found.mayBeUsed()) {
			throw refused(
					"may not be used by '%s', who needs SELECT, INSERT, UPDATE and DELETE".formatted(found.user()),
					null);
		}
		if (!found.encoding().equals("UTF8")) {
			throw refused("is in a database with the encoding %s, which has no place for every key: use one with UTF8"
				.formatted(found.encoding()), null);
		}
	}

	/**
	 * Check that transactions of the application can be
	 * {@linkplain PostgresLockStore.Builder#checkCommits checked}: that they are on the
	 * database of the locks, find the table by the same name, and may lock its rows.
	 * @param dataSource connections of the store
	 * @param application connections of the application's transactions
	 * @throws LockStoreException of kind {@code MISCONFIGURED} if a person has to act,
	 * and of kind {@code UNAVAILABLE} if a database does not answer
	 */
	public void checkCommits(DataSource dataSource, DataSource application) {
		Seen locks = seen(dataSource);
		Seen transactions = seen(application);
		if (!transactions.isSameAs(locks)) {
			throw new LockStoreException(Kind.MISCONFIGURED, ("Commits cannot be checked: the transactions of the "
					+ "application see the table '%s' in %s, and the locks are in %s. Let both use one database, and "
					+ "name the table with its schema; or check no commits")
				.formatted(this.table, transactions, locks), null);
		}
		if (!transactions.mayLock()) {
			throw new LockStoreException(Kind.MISCONFIGURED,
					"Commits cannot be checked: '%s' needs SELECT and UPDATE on the table '%s' of the locks, to lock a row"
						.formatted(transactions.user(), this.table),
					null);
		}
	}

	private Seen seen(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			return Seen.in(connection, this.table);
		}
		catch (SQLException ex) {
			throw new LockStoreException(Kind.UNAVAILABLE,
					"Cannot check who sees the table '%s' of the locks: %s".formatted(this.table, ex.getMessage()), ex);
		}
	}

	/** Messages of exceptions have one line. */
	private LockStoreException refused(String problem, @Nullable SQLException cause) {
		return new LockStoreException(Kind.MISCONFIGURED, "The table '%s' of the locks %s. It is created by: %s"
			.formatted(this.table, problem, ddl().replaceAll("\\s+", " ").strip()), cause);
	}

	/**
	 * The table as the catalogue of the database shows it.
	 *
	 * @param exists {@code true} if it is there
	 * @param comment its comment, or empty
	 * @param mayBeUsed {@code true} if the user has all privileges that the store needs
	 * @param user the user
	 * @param encoding the encoding of the database
	 */
	private record Found(boolean exists, String comment, boolean mayBeUsed, String user, String encoding) {

		private static final String QUERY = """
				SELECT to_regclass(t.name) IS NOT NULL,
					coalesce(obj_description(to_regclass(t.name), 'pg_class'), ''),
					coalesce(bool_and(has_table_privilege(to_regclass(t.name), p.privilege)), false),
					current_user, current_setting('server_encoding')
				FROM (SELECT ?::text AS name) t,
					unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p(privilege)
				GROUP BY t.name
				""";

		static Found in(Connection connection, String table) throws SQLException {
			try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
				statement.setString(1, table);
				try (ResultSet rows = statement.executeQuery()) {
					rows.next();
					return new Found(rows.getBoolean(1), rows.getString(2), rows.getBoolean(3), rows.getString(4),
							rows.getString(5));
				}
			}
		}

	}

	/**
	 * The table as a connection sees it.
	 *
	 * @param server the start of the server, which tells servers apart
	 * @param database the database
	 * @param table the number of the table in it, or zero if there is none of that name
	 * @param mayLock {@code true} if the user may lock its rows
	 * @param user the user
	 */
	private record Seen(String server, String database, long table, boolean mayLock, String user) {

		private static final String QUERY = """
				SELECT pg_postmaster_start_time()::text, current_database(), coalesce(t.id::oid::bigint, 0),
					coalesce(has_table_privilege(t.id, 'SELECT') AND has_any_column_privilege(t.id, 'UPDATE'), false),
					current_user
				FROM (SELECT to_regclass(?) AS id) AS t
				""";

		static Seen in(Connection connection, String table) throws SQLException {
			try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
				statement.setString(1, table);
				try (ResultSet rows = statement.executeQuery()) {
					rows.next();
					return new Seen(rows.getString(1), rows.getString(2), rows.getLong(3), rows.getBoolean(4),
							rows.getString(5));
				}
			}
		}

		boolean isSameAs(Seen other) {
			return this.table != 0 && this.table == other.table && this.database.equals(other.database)
					&& this.server.equals(other.server);
		}

		@Override
		public String toString() {
			return "database '%s' of the server that was started at %s%s".formatted(this.database, this.server,
					(this.table != 0) ? ", with the number " + this.table : ", without a table of that name");
		}

	}

}
