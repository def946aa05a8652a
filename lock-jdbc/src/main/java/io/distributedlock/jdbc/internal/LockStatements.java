package io.distributedlock.jdbc.internal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Replacement;
import io.distributedlock.state.StateLockStore.Row;
import io.distributedlock.state.StateLockStore.Stored;
import io.distributedlock.state.StateLockStore.Swap;
import io.distributedlock.state.WakeUp;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the table of the locks. Each is one round trip that commits by
 * itself, so it works behind a pooler: it sets nothing for a session. Thread-safe.
 * <p>
 * A replacement compares the state, and the time if that was estimated. Where it replaces
 * nothing, another statement reads the state: most replace it, and an answer for both
 * cases makes each of them dearer. A replacement that takes a lock, or one of many, has
 * the state of its beginning in its answer. It may have waited for another one meanwhile:
 * then the state is out of date, and the next replacement says so.
 * <p>
 * The check at a commit holds the row with {@code FOR KEY SHARE}, which an {@code UPDATE}
 * passes. So a replacement that takes the lock from an owner locks the row
 * {@code FOR UPDATE} first. It skips a locked row: it would wait for the whole
 * transaction otherwise.
 */
public final class LockStatements {

	/** Minimum number of rows of a slice that is cleaned at a time. */
	static final int SLICE = 1_000;

	/** The time of the server: later in a statement it is a later one. */
	static final String MICROS = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

	/** The time of the server and the start of it, which a restart changes. */
	static final String TIME = MICROS + ", (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

	private static final String READ = "SELECT l.state, " + TIME
			+ " FROM (VALUES (1)) AS one LEFT JOIN %1$s AS l ON l.name = ?";

	private static final String SET = "SET state = ?, owners = ?::text[], token = ?, "
			+ "expires = clock_timestamp() + ? * interval '1 millisecond' ";

	/**
	 * Ends the wait for a locked row before the connection breaks: a process of the
	 * server that waits does not notice that. It is set before the wait, and ends with
	 * the statement.
	 */
	static final String WAIT = " AND set_config('lock_timeout', ?, true) <> ''";

	/** There is no answer where the state is another one: it is read then. */
	private static final String RETURNING = " RETURNING " + TIME + ", %2$s";

	private static final String UPDATE = "UPDATE %1$s " + SET + "WHERE name = ? AND state = ? AND " + MICROS
			+ " BETWEEN ? AND ?" + WAIT + RETURNING;

	/**
	 * The row is shared if it is locked by checks only. The state is read where it is
	 * another one.
	 */
	private static final String TAKE = "WITH unlocked AS (SELECT name FROM %1$s WHERE name = ? AND state = ? AND "
			+ MICROS + " BETWEEN ? AND ? FOR UPDATE SKIP LOCKED), changed AS (UPDATE %1$s AS l " + SET
			+ "FROM unlocked WHERE l.name = unlocked.name RETURNING l.name), shared AS MATERIALIZED (SELECT name FROM %1$s "
			+ "WHERE name = ? AND NOT EXISTS (SELECT FROM changed) FOR NO KEY UPDATE SKIP LOCKED) "
			+ "SELECT (SELECT count(*) FROM changed), "
			+ "(SELECT state FROM %1$s WHERE name = ? AND NOT EXISTS (SELECT FROM changed)), " + TIME
			+ ", %2$s, (SELECT count(*) FROM shared)";

	/** Waits for a change of the row, and returns its result, but passes checks. */
	private static final String READ_CHANGED = "WITH l AS MATERIALIZED (SELECT state FROM %1$s WHERE name = ?" + WAIT
			+ " FOR NO KEY UPDATE) SELECT l.state, " + TIME + ", %2$s FROM (VALUES (1)) AS one LEFT JOIN l ON true";

	/** A row that another one adds first leaves something to commit, but no answer. */
	private static final String INSERT = "INSERT INTO %1$s (state, owners, token, expires, name) "
			+ "SELECT ?, ?::text[], ?, clock_timestamp() + ? * interval '1 millisecond', ? WHERE " + MICROS
			+ " BETWEEN ? AND ?" + WAIT + " AND coalesce(%2$s, '') IS NOT NULL ON CONFLICT DO NOTHING RETURNING " + TIME
			+ ", NULL";

	/** A message is sent when the statement commits, if it returns the row. */
	private static final String NOTIFY = ", (SELECT count(pg_notify(m.channel, m.message)) "
			+ "FROM unnest(?::text[], ?::text[]) AS m(channel, message))";

	private static final String TAKE_NOTIFY = ", (SELECT count(pg_notify(m.channel, m.message)) "
			+ "FROM changed, unnest(?::text[], ?::text[]) AS m(channel, message))";

	/** The messages of each row that the statement has changed. */
	static final String NOTIFY_EACH = ", (SELECT count(pg_notify(m.channel, m.message)) FROM %s AS c "
			+ "JOIN unnest(?::text[], ?::text[], ?::text[]) AS m(name, channel, message) ON m.name = c.name)";

	/**
	 * Rows that other statements have locked are skipped, so that two of these never wait
	 * for each other.
	 */
	private static final String UPDATE_ALL = "WITH wanted AS MATERIALIZED (SELECT * "
			+ "FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) "
			+ "AS w(name, expected, state, owners, token, lifetime, earliest, latest)), "
			+ "clock AS MATERIALIZED (SELECT " + MICROS + " AS micros), "
			+ "unlocked AS (SELECT l.name FROM clock, wanted AS w JOIN %1$s AS l ON l.name = w.name "
			+ "AND l.state = w.expected WHERE clock.micros BETWEEN w.earliest AND w.latest "
			+ "FOR NO KEY UPDATE OF l SKIP LOCKED), "
			+ "changed AS (UPDATE %1$s AS l SET state = w.state, owners = w.owners::text[], token = w.token, "
			+ "expires = clock_timestamp() + w.lifetime * interval '1 millisecond' "
			+ "FROM unlocked JOIN wanted AS w ON w.name = unlocked.name WHERE l.name = unlocked.name RETURNING l.name) "
			+ "SELECT w.name, changed.name IS NOT NULL, CASE WHEN changed.name IS NULL THEN l.state END, " + TIME
			+ ", %2$s%3$s FROM wanted AS w LEFT JOIN changed ON changed.name = w.name LEFT JOIN %1$s AS l ON l.name = w.name";

	private static final String CLEAN = "WITH slice AS MATERIALIZED (SELECT name, expires FROM %1$s WHERE name > ? "
			+ "ORDER BY name LIMIT " + SLICE + "), "
			+ "unlocked AS (SELECT l.name FROM slice JOIN %1$s AS l ON l.name = slice.name "
			+ "WHERE slice.expires < clock_timestamp() AND l.expires < clock_timestamp() FOR UPDATE OF l SKIP LOCKED), "
			+ "deleted AS (DELETE FROM %1$s AS l USING unlocked WHERE l.name = unlocked.name RETURNING 1) "
			+ "SELECT (SELECT max(name) FROM slice), (SELECT count(*) FROM slice), (SELECT count(*) FROM deleted), %2$s";

	/**
	 * The setting ends with the statement, which commits by itself: so it needs neither a
	 * round trip nor a session of its own.
	 */
	private static final String ASYNCHRONOUS = "set_config('synchronous_commit', 'off', true)";

	private final String read;

	private final String readChanged;

	private final Replacing update;

	private final Replacing take;

	private final Replacing insert;

	private final Replacing updateAll;

	private final String clean;

	private final String notify;

	/** The statements on several locks of one command. */
	final SetStatements sets;

	private final ServerStarts starts;

	/**
	 * Create the statements.
	 * @param table the name of the table
	 * @param durable {@code true} to wait at each commit as the server is set up to do
	 * @param onDoubt called when the server may have forgotten what it has answered; must
	 * not block
	 */
	public LockStatements(String table, boolean durable, Runnable onDoubt) {
		this.starts = new ServerStarts(onDoubt);
		String commit = durable ? "NULL" : ASYNCHRONOUS;
		this.read = READ.formatted(table);
		this.readChanged = READ_CHANGED.formatted(table, commit);
		this.update = replacing(UPDATE, NOTIFY, table, commit);
		this.take = replacing(TAKE, TAKE_NOTIFY, table, commit);
		this.insert = replacing(INSERT, NOTIFY, table, commit);
		this.updateAll = new Replacing(UPDATE_ALL.formatted(table, commit, ""),
				UPDATE_ALL.formatted(table, commit, NOTIFY_EACH.formatted("changed")));
		this.clean = CLEAN.formatted(table, commit);
		this.notify = "SELECT pg_notify(?, ?), " + ASYNCHRONOUS;
		this.sets = new SetStatements(table, commit, this.starts);
	}

	private static Replacing replacing(String statement, String notify, String table, String commit) {
		String plain = statement.formatted(table, commit);
		return new Replacing(plain, plain + notify);
	}

	Stored read(Connection connection, String name) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.read)) {
			statement.setString(1, name);
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				return new Stored(rows.getString(1), micros(rows, 2));
			}
		}
	}

	/** Return the time of an answer, and note the start of its server. */
	long micros(ResultSet rows, int column) throws SQLException {
		this.starts.answered(rows.getLong(column + 1));
		return rows.getLong(column);
	}

	/** Read a state after the change that is on its way. */
	private Stored readChanged(Connection connection, String name) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.readChanged)) {
			statement.setString(1, name);
			statement.setString(2, longestWait(connection));
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				return new Stored(rows.getString(1), micros(rows, 2));
			}
		}
	}

	/**
	 * Replace a state.
	 * @param wakeUps messages to send in the same step
	 */
	Swap replace(Connection connection, Replacement replacement, List<WakeUp> wakeUps) throws SQLException {
		if (replacement.takes() && replacement.expected().text() != null) {
			return take(connection, replacement, wakeUps);
		}
		Replacing replacing = (replacement.expected().text() == null) ? this.insert : this.update;
		try (PreparedStatement statement = connection.prepareStatement(replacing.sql(wakeUps))) {
			Parameters parameters = new Parameters(statement);
			row(parameters, replacement.row());
			expected(parameters, replacement);
			parameters.add(longestWait(connection));
			messages(connection, parameters, wakeUps);
			try (ResultSet rows = statement.executeQuery()) {
				if (rows.next()) {
					return Swap.done(new Stored(replacement.row().text(), micros(rows, 1)));
				}
			}
		}
		return Swap.refused(read(connection, replacement.key().encoded()));
	}

	/** Take a lock from an owner, unless one commits. */
	private Swap take(Connection connection, Replacement replacement, List<WakeUp> wakeUps) throws SQLException {
		String name = replacement.key().encoded();
		Swap swap;
		boolean shared;
		try (PreparedStatement statement = connection.prepareStatement(this.take.sql(wakeUps))) {
			Parameters parameters = new Parameters(statement);
			expected(parameters, replacement);
			row(parameters, replacement.row());
			parameters.add(name);
			parameters.add(name);
			messages(connection, parameters, wakeUps);
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				swap = swap(replacement, rows.getInt(1) == 1, rows.getString(2), micros(rows, 3));
				shared = rows.getInt(6) == 1;
			}
		}
		return (swap.isBusy() && !shared) ? Swap.refused(readChanged(connection, name)) : swap;
	}

	private static void messages(Connection connection, Parameters parameters, List<WakeUp> wakeUps)
			throws SQLException {
		if (!wakeUps.isEmpty()) {
			parameters.add(texts(connection, wakeUps, (each) -> WakeUpConnections.channel(each.instance())));
			parameters.add(texts(connection, wakeUps, WakeUp::encoded));
		}
	}

	/** Add the messages of several rows, with the names of their locks. */
	static void messagesOfEach(Connection connection, Parameters parameters, List<WakeUp> wakeUps) throws SQLException {
		if (!wakeUps.isEmpty()) {
			parameters.add(texts(connection, wakeUps, (each) -> each.key().encoded()));
			messages(connection, parameters, wakeUps);
		}
	}

	/** Return the milliseconds that leave enough time for the answer. */
	static String longestWait(Connection connection) throws SQLException {
		return Integer.toString(Math.max(1, connection.getNetworkTimeout() / 4 * 3));
	}

	/** Send a message by itself. */
	boolean send(Connection connection, WakeUp wakeUp) throws SQLException {
		return send(connection, WakeUpConnections.channel(wakeUp.instance()), wakeUp.encoded());
	}

	boolean send(Connection connection, String channel, String message) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.notify)) {
			statement.setString(1, channel);
			statement.setString(2, message);
			return statement.execute();
		}
	}

	private static void row(Parameters parameters, Row row) throws SQLException {
		parameters.add(row.text());
		parameters.add(owners(row));
		parameters.add(row.token());
		parameters.add(row.lifetime().toMillis());
	}

	/** Request ids need no quotes. */
	static String owners(Row row) {
		return row.owners().isEmpty() ? "{}"
				: row.owners().toString().replace('[', '{').replace(']', '}').replace(" ", "");
	}

	private static void expected(Parameters parameters, Replacement replacement) throws SQLException {
		Expected expected = replacement.expected();
		parameters.add(replacement.key().encoded());
		if (expected.text() != null) {
			parameters.add(expected.text());
		}
		parameters.add(earliest(expected));
		parameters.add(latest(expected));
	}

	static long earliest(Expected expected) {
		return expected.within().isZero() ? Long.MIN_VALUE : expected.micros();
	}

	static long latest(Expected expected) {
		return expected.within().isZero() ? Long.MAX_VALUE : expected.micros() + micros(expected.within());
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	/**
	 * A state that is there as expected, in time, was not replaced because the row is
	 * locked.
	 */
	private static Swap swap(Replacement replacement, boolean done, @Nullable String state, long micros) {
		if (done) {
			return Swap.done(new Stored(replacement.row().text(), micros));
		}
		Stored stored = new Stored(state, micros);
		return (replacement.takes() && isAsExpected(replacement.expected(), stored)) ? Swap.busy(stored)
				: Swap.refused(stored);
	}

	static boolean isAsExpected(Expected expected, Stored stored) {
		return Objects.equals(stored.text(), expected.text()) && stored.micros() >= earliest(expected)
				&& stored.micros() <= latest(expected);
	}

	/**
	 * Replace states of different locks, each for itself. None takes a lock.
	 * @param wakeUps messages to send in the same step
	 */
	Map<String, Swap> replaceAll(Connection connection, List<Replacement> replacements, List<WakeUp> wakeUps)
			throws SQLException {
		Map<String, Replacement> byName = new HashMap<>();
		replacements.forEach((each) -> byName.put(each.key().encoded(), each));
		try (PreparedStatement statement = connection.prepareStatement(this.updateAll.sql(wakeUps))) {
			Parameters parameters = new Parameters(statement);
			parameters.add(texts(connection, replacements, (each) -> each.key().encoded()));
			parameters.add(texts(connection, replacements, (each) -> String.valueOf(each.expected().text())));
			parameters.add(texts(connection, replacements, (each) -> each.row().text()));
			parameters.add(texts(connection, replacements, (each) -> owners(each.row())));
			parameters.add(numbers(connection, replacements, (each) -> each.row().token()));
			parameters.add(numbers(connection, replacements, (each) -> each.row().lifetime().toMillis()));
			parameters.add(numbers(connection, replacements, (each) -> earliest(each.expected())));
			parameters.add(numbers(connection, replacements, (each) -> latest(each.expected())));
			messagesOfEach(connection, parameters, wakeUps);
			Map<String, Swap> swaps = new HashMap<>();
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					Replacement replacement = byName.get(rows.getString(1));
					if (replacement != null) {
						swaps.put(rows.getString(1),
								swap(replacement, rows.getBoolean(2), rows.getString(3), micros(rows, 4)));
					}
				}
			}
			return swaps;
		}
	}

	static <T> Array texts(Connection connection, Collection<T> all, Function<T, @Nullable String> one)
			throws SQLException {
		return connection.createArrayOf("text", all.stream().map(one).toArray());
	}

	static <T> Array numbers(Connection connection, Collection<T> all, Function<T, @Nullable Long> one)
			throws SQLException {
		return connection.createArrayOf("bigint", all.stream().map(one).toArray());
	}

	/** Delete the rows of a slice of the table whose time is over. */
	Cleaned clean(Connection connection, String after) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.clean)) {
			statement.setString(1, after);
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				String last = rows.getString(1);
				return new Cleaned((last != null && rows.getInt(2) == SLICE) ? last : "", rows.getInt(3));
			}
		}
	}

	/**
	 * The result of cleaning a slice.
	 *
	 * @param last the last name of the slice, or empty at the end of the table
	 * @param deleted the number of rows that were deleted
	 */
	record Cleaned(String last, int deleted) {
	}

	/** A statement with messages and without. */
	record Replacing(String plain, String notifying) {

		String sql(List<WakeUp> wakeUps) {
			return wakeUps.isEmpty() ? this.plain : this.notifying;
		}

	}

	/** Parameters of a statement in their order. */
	static final class Parameters {

		private final PreparedStatement statement;

		private int count;

		Parameters(PreparedStatement statement) {
			this.statement = statement;
		}

		void add(String text) throws SQLException {
			this.statement.setString(++this.count, text);
		}

		void add(long number) throws SQLException {
			this.statement.setLong(++this.count, number);
		}

		void add(Array array) throws SQLException {
			this.statement.setArray(++this.count, array);
		}

	}

}
