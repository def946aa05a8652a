package io.distributedlock.jdbc.internal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.distributedlock.jdbc.internal.LockStatements.Parameters;
import io.distributedlock.jdbc.internal.LockStatements.Replacing;
import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Replacement;
import io.distributedlock.state.StateLockStore.Stored;
import io.distributedlock.state.StateLockStore.Swap;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The statements on several locks of one command: all of them change, or none does.
 * <p>
 * First the rows are locked that are to be replaced and are as expected, those of owners
 * who lose their locks {@code FOR UPDATE}. No locked row is waited for, so two of these
 * never wait for each other. If all could be locked, and the other states are as
 * expected, they are replaced, and new rows are added in the order of their names. An
 * addition that another transaction has made first fails the whole statement.
 */
final class SetStatements {

	private static final String READ = "SELECT w.name, l.state, " + LockStatements.TIME
			+ " FROM unnest(?::text[]) AS w(name) LEFT JOIN %1$s AS l ON l.name = w.name";

	/**
	 * Waits for the change of one row, but passes checks. It locks no other row, whose
	 * own commands would wait for that change too.
	 */
	private static final String READ_CHANGED = "WITH changed AS MATERIALIZED (SELECT name, state FROM %1$s "
			+ "WHERE name = ?" + LockStatements.WAIT + " FOR NO KEY UPDATE) "
			+ "SELECT w.name, coalesce(changed.state, l.state), " + LockStatements.TIME + ", %2$s "
			+ "FROM unnest(?::text[]) AS w(name) LEFT JOIN changed ON changed.name = w.name "
			+ "LEFT JOIN %1$s AS l ON l.name = w.name";

	private static final String UNLOCKED = "SELECT l.name FROM wanted AS w JOIN %1$s AS l ON l.name = w.name "
			+ "AND l.state = w.expected WHERE w.state IS NOT NULL AND ";

	/** A lock without a new state only has to be as expected. */
	private static final String REPLACE = "WITH wanted AS MATERIALIZED (SELECT * FROM unnest(?::text[], ?::text[], "
			+ "?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::boolean[]) "
			+ "AS w(name, expected, state, owners, token, lifetime, takes)), taken AS MATERIALIZED (" + UNLOCKED
			+ "w.takes FOR UPDATE OF l SKIP LOCKED), own AS MATERIALIZED (" + UNLOCKED
			+ "NOT w.takes FOR NO KEY UPDATE OF l SKIP LOCKED), verdict AS MATERIALIZED (SELECT "
			+ LockStatements.MICROS + " BETWEEN ? AND ? AND (SELECT count(*) FROM taken) + (SELECT count(*) FROM own) "
			+ "= (SELECT count(*) FROM wanted WHERE state IS NOT NULL AND expected IS NOT NULL) "
			+ "AND NOT EXISTS (SELECT FROM wanted AS w LEFT JOIN %1$s AS l ON l.name = w.name "
			+ "WHERE (w.state IS NULL OR w.expected IS NULL) AND l.state IS DISTINCT FROM w.expected) AS good), "
			+ "changed AS (UPDATE %1$s AS l SET state = w.state, owners = w.owners::text[], token = w.token, "
			+ "expires = clock_timestamp() + w.lifetime * interval '1 millisecond' FROM verdict, wanted AS w "
			+ "WHERE verdict.good AND w.state IS NOT NULL AND w.expected IS NOT NULL AND l.name = w.name "
			+ "RETURNING l.name), added AS (INSERT INTO %1$s (name, state, owners, token, expires) "
			+ "SELECT w.name, w.state, w.owners::text[], w.token, "
			+ "clock_timestamp() + w.lifetime * interval '1 millisecond' FROM verdict, wanted AS w "
			+ "WHERE verdict.good AND w.state IS NOT NULL AND w.expected IS NULL" + LockStatements.WAIT
			+ " ORDER BY w.name RETURNING name), shared AS MATERIALIZED (SELECT l.name FROM verdict, wanted AS w "
			+ "JOIN %1$s AS l ON l.name = w.name AND l.state = w.expected WHERE NOT verdict.good "
			+ "AND w.state IS NOT NULL AND w.takes AND l.name NOT IN (SELECT name FROM taken) "
			+ "FOR NO KEY UPDATE OF l SKIP LOCKED) SELECT w.name, CASE WHEN NOT verdict.good THEN l.state END, "
			+ LockStatements.TIME
			+ ", verdict.good, shared.name IS NOT NULL, w.state IS NOT NULL AND l.state = w.expected "
			+ "AND w.name NOT IN (SELECT name FROM taken UNION ALL SELECT name FROM own), %2$s%3$s FROM verdict, wanted AS w "
			+ "LEFT JOIN %1$s AS l ON l.name = w.name LEFT JOIN shared ON shared.name = w.name";

	private static final String NOTIFY = LockStatements.NOTIFY_EACH
		.formatted("(SELECT name FROM changed UNION ALL SELECT name FROM added)");

	private final String read;

	private final String readChanged;

	private final Replacing replace;

	private final ServerStarts starts;

	SetStatements(String table, String commit, ServerStarts starts) {
		this.starts = starts;
		this.read = READ.formatted(table);
		this.readChanged = READ_CHANGED.formatted(table, commit);
		this.replace = new Replacing(REPLACE.formatted(table, commit, ""), REPLACE.formatted(table, commit, NOTIFY));
	}

	/** Read the states of locks. */
	List<Stored> read(Connection connection, Collection<LockKey> keys) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.read)) {
			statement.setArray(1, names(connection, keys));
			return answer(statement).stored(keys);
		}
	}

	/** Read states after the change of one lock that is on its way. */
	private List<Stored> readChanged(Connection connection, Collection<LockKey> keys, String locked)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.readChanged)) {
			statement.setString(1, locked);
			statement.setString(2, LockStatements.longestWait(connection));
			statement.setArray(3, names(connection, keys));
			return answer(statement).stored(keys);
		}
	}

	private static Array names(Connection connection, Collection<LockKey> keys) throws SQLException {
		return LockStatements.texts(connection, keys, LockKey::encoded);
	}

	private Answer answer(PreparedStatement statement) throws SQLException {
		Answer answer = new Answer();
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				answer.add(rows);
				this.starts.answered(rows.getLong(4));
			}
		}
		return answer;
	}

	/**
	 * Replace states.
	 * @param expected the states of all locks of the command
	 * @param replacements the new states of those that change
	 * @param wakeUps messages to send in the same step
	 * @return the answers in the order of the expected states
	 */
	List<Swap> replace(Connection connection, Map<LockKey, Expected> expected, List<Replacement> replacements,
			List<WakeUp> wakeUps) throws SQLException {
		Map<LockKey, Replacement> changes = new HashMap<>();
		replacements.forEach((each) -> changes.put(each.key(), each));
		Answer answer = new Answer();
		try (PreparedStatement statement = connection.prepareStatement(this.replace.sql(wakeUps))) {
			Parameters parameters = new Parameters(statement);
			wanted(connection, parameters, expected, changes);
			Expected any = replacements.get(0).expected();
			parameters.add(LockStatements.earliest(any));
			parameters.add(LockStatements.latest(any));
			parameters.add(LockStatements.longestWait(connection));
			LockStatements.messagesOfEach(connection, parameters, wakeUps);
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					answer.add(rows);
					answer.addVerdict(rows);
					this.starts.answered(rows.getLong(4));
				}
			}
		}
		return swaps(connection, expected, changes, answer);
	}

	private static void wanted(Connection connection, Parameters parameters, Map<LockKey, Expected> expected,
			Map<LockKey, Replacement> changes) throws SQLException {
		Set<LockKey> keys = expected.keySet();
		parameters.add(names(connection, keys));
		parameters.add(LockStatements.texts(connection, expected.values(), Expected::text));
		parameters.add(LockStatements.texts(connection, keys, of(changes, (each) -> each.row().text())));
		parameters
			.add(LockStatements.texts(connection, keys, of(changes, (each) -> LockStatements.owners(each.row()))));
		parameters.add(LockStatements.numbers(connection, keys, of(changes, (each) -> each.row().token())));
		parameters
			.add(LockStatements.numbers(connection, keys, of(changes, (each) -> each.row().lifetime().toMillis())));
		parameters
			.add(connection.createArrayOf("boolean", keys.stream().map(of(changes, Replacement::takes)).toArray()));
	}

	private static <T> Function<LockKey, @Nullable T> of(Map<LockKey, Replacement> changes,
			Function<Replacement, T> value) {
		return (key) -> {
			Replacement change = changes.get(key);
			return (change != null) ? value.apply(change) : null;
		};
	}

	/**
	 * States that are as expected, in time, were not replaced because a row is locked.
	 */
	private List<Swap> swaps(Connection connection, Map<LockKey, Expected> expected, Map<LockKey, Replacement> changes,
			Answer answer) throws SQLException {
		List<Swap> swaps = new ArrayList<>(expected.size());
		boolean asExpected = true;
		for (Map.Entry<LockKey, Expected> each : expected.entrySet()) {
			Stored stored = answer.stored(each.getKey());
			asExpected &= LockStatements.isAsExpected(each.getValue(), stored);
			Replacement change = changes.get(each.getKey());
			swaps.add(!answer.good ? Swap.refused(stored) : Swap
				.done(new Stored((change != null) ? change.row().text() : each.getValue().text(), answer.micros)));
		}
		return (answer.good || !asExpected) ? swaps : locked(connection, expected.keySet(), answer);
	}

	private List<Swap> locked(Connection connection, Set<LockKey> keys, Answer answer) throws SQLException {
		if (answer.shared.isEmpty()) {
			String locked = answer.locked;
			List<Stored> all = (locked != null) ? readChanged(connection, keys, locked) : read(connection, keys);
			return all.stream().map(Swap::refused).toList();
		}
		return keys.stream()
			.map((key) -> answer.shared.contains(key.encoded()) ? Swap.busy(answer.stored(key))
					: Swap.refused(answer.stored(key)))
			.toList();
	}

	/** The answer about several locks, with one time. */
	private static final class Answer {

		private final Map<String, @Nullable String> states = new HashMap<>();

		private final Set<String> shared = new HashSet<>();

		/** A row that another statement changes. */
		private @Nullable String locked;

		private boolean good;

		private long micros;

		void add(ResultSet row) throws SQLException {
			this.states.put(row.getString(1), row.getString(2));
			this.micros = Math.max(this.micros, row.getLong(3));
		}

		void addVerdict(ResultSet row) throws SQLException {
			this.good = row.getBoolean(5);
			if (row.getBoolean(6)) {
				this.shared.add(row.getString(1));
			}
			if (row.getBoolean(7)) {
				this.locked = row.getString(1);
			}
		}

		Stored stored(LockKey key) {
			return new Stored(this.states.get(key.encoded()), this.micros);
		}

		List<Stored> stored(Collection<LockKey> keys) {
			return keys.stream().map(this::stored).toList();
		}

	}

}
