package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
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

	/** The oldest version that is supported by its makers. */
	private static final int LEAST_VERSION = 14;

	/**
	 * Another session may stand still while it makes or changes the table. Shorter than
	 * that of the network, so that the server ends the statement.
	 */
	private static final int TIMEOUT_SECONDS = 4;

	/** The server may stand still, which no time-out of a statement notices. */
	private static final int NETWORK_TIMEOUT_MILLIS = 5_000;

	/** As if there is no password, or no encryption, and the server wants it. */
	private static final String NO_LOGIN = "08004";

	private static final String LOGIN = "Correct the user and the password, or name them if there are none";

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
	 * @throws LockStoreException of kind {@code MISCONFIGURED} if a person has to act,
	 * with the statements in its message, and of kind {@code UNAVAILABLE} if the database
	 * does not answer
	 */
	public void create(DataSource dataSource) {
		onConnection(dataSource, "cannot be created", (connection) -> {
			requireWritable(Server.of(connection));
			boolean exists = Found.in(connection, this.table).exists();
			if (!exists) {
				create(connection);
			}
			return exists;
		});
	}

	/** IF NOT EXISTS fails for the second of two that create it at a time. */
	private void create(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.setQueryTimeout(TIMEOUT_SECONDS);
			statement.execute("SELECT pg_advisory_xact_lock(hashtext('" + VERSION + ' ' + this.table + "'))");
			statement.execute(ddl());
			connection.commit();
		}
		catch (SQLException ex) {
			if (!connection.isClosed()) {
				connection.rollback();
			}
			throw ex;
		}
		finally {
			if (!connection.isClosed()) {
				connection.setAutoCommit(true);
			}
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
		onConnection(dataSource, "cannot be checked", (connection) -> {
			Server server = Server.of(connection);
			requireWritable(server);
			Found found = Found.in(connection, this.table);
			require(found, server.user());
			return found;
		});
	}

	/**
	 * Check that transactions of the application can be
	 * {@linkplain PostgresLockStore.Builder#checkCommits checked}: that they are on the
	 * database of the locks, and may lock the rows of the table. Their search path does
	 * not count.
	 * @param dataSource connections of the store
	 * @param application connections of the application's transactions
	 * @throws LockStoreException of kind {@code MISCONFIGURED} if a person has to act,
	 * and of kind {@code UNAVAILABLE} if a database does not answer
	 */
	public void checkCommits(DataSource dataSource, DataSource application) {
		Seen locks = seen(dataSource, "to_regclass(?)", this.table);
		Seen transactions = seen(application, "?::oid", Long.toString(locks.table()));
		if (!transactions.isSameAs(locks)) {
			throw refused("is another one to the transactions of the application, in " + transactions
					+ ", than to the locks, in " + locks, "Let both use one database");
		}
		if (!transactions.mayLock()) {
			throw refused("may not be locked by '%s' before a commit".formatted(transactions.user()),
					"Allow it:\n\nGRANT USAGE ON SCHEMA %s TO \"%s\";\nGRANT SELECT, UPDATE ON %s TO \"%s\";"
						.formatted(locks.schema(), transactions.user(), this.table, transactions.user()));
		}
	}

	/**
	 * Return the name of the table with its schema, which the search path of another
	 * connection does not change.
	 */
	String qualified(DataSource dataSource) {
		if (this.table.contains(".")) {
			return this.table;
		}
		Seen locks = seen(dataSource, "to_regclass(?)", this.table);
		if (locks.table() == 0) {
			throw refused("does not exist", "Create it, or let a user create it who may:\n\n" + ddl());
		}
		return locks.schema() + '.' + this.table;
	}

	private Seen seen(DataSource dataSource, String number, String table) {
		return onConnection(dataSource, "cannot be compared", (connection) -> Seen.in(connection, number, table));
	}

	/**
	 * Run statements with a limit for each answer, on a connection to PostgreSQL. It may
	 * be one of the application, which gets it back as it was.
	 */
	private <T> T onConnection(DataSource dataSource, String problem, Statements<T> statements) {
		try (Connection connection = dataSource.getConnection()) {
			requirePostgres(connection);
			int before = connection.getNetworkTimeout();
			connection.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
			try {
				return statements.on(connection);
			}
			finally {
				if (!connection.isClosed()) {
					connection.setNetworkTimeout(Runnable::run, before);
				}
			}
		}
		catch (SQLException ex) {
			throw failure(problem, ex);
		}
	}

	private void requirePostgres(Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		if (!database.getDatabaseProductName().equals("PostgreSQL")
				|| database.getDatabaseMajorVersion() < LEAST_VERSION) {
			throw refused(
					"cannot be in %s %s".formatted(database.getDatabaseProductName(),
							database.getDatabaseProductVersion()),
					"Name a database of PostgreSQL %d or newer".formatted(LEAST_VERSION));
		}
	}

	private void requireWritable(Server server) {
		if (server.isStandby()) {
			throw refused("is on a standby, which takes no writes",
					"Name the primary. With the hosts of both in the address, add targetServerType=primary");
		}
		if (!server.encoding().equals("UTF8")) {
			throw refused("is in a database with the encoding %s, which has no place for every key"
				.formatted(server.encoding()), "Name a database with the encoding UTF8");
		}
		if (server.isReadOnly()) {
			throw refused("cannot be written by '%s', whose transactions only read".formatted(server.user()),
					("Let them write, here and in the options of the address:\n\n"
							+ "ALTER ROLE \"%s\" IN DATABASE %s SET default_transaction_read_only = off;")
						.formatted(server.user(), server.database()));
		}
	}

	private void require(Found found, String user) {
		if (!found.exists()) {
			throw refused("does not exist",
					"Create it, and its schema if that is missing, or let a user create it who may:\n\n" + ddl());
		}
		if (found.comment().isEmpty()) {
			throw refused("has no comment, which names its version",
					("If it was made for the locks, by statements without the last one, run that:\n\n"
							+ "COMMENT ON TABLE %s IS '%s';\n\nIf it is another table, name one for the locks")
						.formatted(this.table, VERSION));
		}
		if (!VERSION.equals(found.comment())) {
			throw refused("has the comment '%s' in place of '%s'".formatted(found.comment(), VERSION),
					"If it is another table, name one for the locks. If it is that of another version of this library, "
							+ "use this version everywhere, stop all, drop the table, and create it:\n\n" + ddl());
		}
		if (!found.mayBeUsed()) {
			throw refused("may not be used by '%s'".formatted(user),
					"Allow it:\n\nGRANT SELECT, INSERT, UPDATE, DELETE ON %s TO \"%s\";".formatted(this.table, user));
		}
	}

	private UnsuitableTableException refused(String problem, String remedy) {
		return new UnsuitableTableException(this.table, problem, remedy, null);
	}

	/**
	 * Find the failure of the server, which a pool wraps: of itself it only says that it
	 * waited.
	 */
	private LockStoreException failure(String problem, SQLException failure) {
		SQLException said = failure;
		for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
			said = (cause instanceof SQLException inner) ? inner : said;
		}
		String remedy = (said.getSQLState() != null) ? remedy(said.getSQLState()) : null;
		if (remedy != null) {
			return new UnsuitableTableException(this.table, problem + ": " + withoutPeriod(said.getMessage()), remedy,
					failure);
		}
		return new LockStoreException(Kind.UNAVAILABLE,
				"The table '%s' of the locks %s: %s".formatted(this.table, problem, said.getMessage()), failure);
	}

	/** The sentence goes on, or ends, after it. */
	private static String withoutPeriod(@Nullable String message) {
		return String.valueOf(message).replaceAll("\\.$", "");
	}

	/** Return the remedy for a refusal, or {@code null} for another failure. */
	private @Nullable String remedy(String state) {
		return switch (state.substring(0, 2)) {
			case "28" -> LOGIN;
			case "08" -> state.equals(NO_LOGIN) ? LOGIN + ". If it is about encryption, correct the address" : null;
			case "3F" -> this.table.contains(".")
					? "Create the schema, or let a user create it who may:\n\nCREATE SCHEMA IF NOT EXISTS %s;\n%s"
						.formatted(this.table.substring(0, this.table.indexOf('.')), ddl())
					: "Name the table with its schema, or correct the search path (currentSchema in the address)";
			case "3D" -> "Correct the name of the database in the address, or create the database";
			case "42" ->
				"Correct the address and the login, grant USAGE on the schema and, to make the table, CREATE, or let "
						+ "a user create the table who may:\n\n" + ddl();
			default -> null;
		};
	}

	/**
	 * Statements.
	 *
	 * @param <T> the type of their result
	 */
	private interface Statements<T> {

		T on(Connection connection) throws SQLException;

	}

	/**
	 * The server as a connection sees it.
	 *
	 * @param database the database, in quotes if it needs them
	 * @param user the user
	 * @param encoding the encoding of the database
	 * @param isStandby {@code true} if the server takes no writes
	 * @param isReadOnly {@code true} if transactions of this connection may not write
	 */
	private record Server(String database, String user, String encoding, boolean isStandby, boolean isReadOnly) {

		private static final String QUERY = """
				SELECT quote_ident(current_database()), current_user, current_setting('server_encoding'),
					pg_is_in_recovery(), current_setting('transaction_read_only')::boolean
				""";

		static Server of(Connection connection) throws SQLException {
			try (PreparedStatement statement = connection.prepareStatement(QUERY);
					ResultSet rows = statement.executeQuery()) {
				rows.next();
				return new Server(rows.getString(1), rows.getString(2), rows.getString(3), rows.getBoolean(4),
						rows.getBoolean(5));
			}
		}

	}

	/**
	 * The table as the catalogue of the database shows it.
	 *
	 * @param exists {@code true} if it is there
	 * @param comment its comment, or empty
	 * @param mayBeUsed {@code true} if the user has all privileges that the store needs
	 */
	private record Found(boolean exists, String comment, boolean mayBeUsed) {

		private static final String QUERY = """
				SELECT to_regclass(t.name) IS NOT NULL,
					coalesce(obj_description(to_regclass(t.name), 'pg_class'), ''),
					coalesce(bool_and(has_table_privilege(to_regclass(t.name), p.privilege)), false)
				FROM (SELECT ?::text AS name) t,
					unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p(privilege)
				GROUP BY t.name
				""";

		static Found in(Connection connection, String table) throws SQLException {
			try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
				statement.setString(1, table);
				try (ResultSet rows = statement.executeQuery()) {
					rows.next();
					return new Found(rows.getBoolean(1), rows.getString(2), rows.getBoolean(3));
				}
			}
		}

	}

	/**
	 * The table as a connection sees it.
	 *
	 * @param server the start of the server, which tells servers apart
	 * @param database the database
	 * @param table the number of the table in it, or zero if there is none
	 * @param schema the name of the table's schema, in quotes if it needs them
	 * @param mayLock {@code true} if the user may lock its rows
	 * @param user the user
	 */
	private record Seen(String server, String database, long table, String schema, boolean mayLock, String user) {

		/** No setting of the session, such as its time zone, changes the answers. */
		private static final String QUERY = """
				SELECT to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
					current_database(), coalesce(t.oid::bigint, 0),
					coalesce((SELECT quote_ident(nspname) FROM pg_namespace n WHERE n.oid = t.relnamespace), ''),
					coalesce(has_schema_privilege(t.relnamespace, 'USAGE') AND has_table_privilege(t.oid, 'SELECT')
						AND has_any_column_privilege(t.oid, 'UPDATE'), false),
					current_user
				FROM (SELECT %s::oid AS id) AS asked LEFT JOIN pg_class t ON t.oid = asked.id
				""";

		static Seen in(Connection connection, String number, String table) throws SQLException {
			try (PreparedStatement statement = connection.prepareStatement(QUERY.formatted(number))) {
				statement.setString(1, table);
				try (ResultSet rows = statement.executeQuery()) {
					rows.next();
					return new Seen(rows.getString(1), rows.getString(2), rows.getLong(3), rows.getString(4),
							rows.getBoolean(5), rows.getString(6));
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
