package io.distributedlock.benchmarks.comparison;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

import io.distributedlock.benchmarks.protocol.RawPairs.Pair;

/**
 * The cheapest locks in PostgreSQL, on a connection that is kept: a row with an owner, a
 * deadline and a token, and advisory locks.
 */
final class SqlPairs {

	private static final String TAKE = """
			WITH free AS (
				SELECT name FROM raw_lock WHERE name = ? AND expires <= clock_timestamp() FOR UPDATE SKIP LOCKED)
			UPDATE raw_lock AS l SET owner = ?, expires = clock_timestamp() + interval '30 s',
				token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
			FROM free WHERE l.name = free.name RETURNING l.token
			""";

	private static final String INSERT = """
			INSERT INTO raw_lock (name, owner, token, expires)
			VALUES (?, ?, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, clock_timestamp() + interval '30 s')
			ON CONFLICT DO NOTHING RETURNING token
			""";

	private static final String RELEASE = "UPDATE raw_lock SET expires = clock_timestamp() WHERE name = ? AND owner = ?";

	private SqlPairs() {
	}

	/** Statements on a table. */
	static Pair table(Connection connection) throws SQLException {
		String owner = UUID.randomUUID().toString();
		PreparedStatement take = connection.prepareStatement(TAKE);
		PreparedStatement insert = connection.prepareStatement(INSERT);
		PreparedStatement release = connection.prepareStatement(RELEASE);
		return pair((key) -> isAnswered(take, key, owner) || isAnswered(insert, key, owner), (key) -> {
			set(release, key, owner);
			return release.executeUpdate() == 1;
		});
	}

	/** Locks of the session, which a caller waits for in the server. */
	static Pair advisory(Connection connection) throws SQLException {
		PreparedStatement take = connection.prepareStatement("SELECT pg_advisory_lock(hashtextextended(?, 0))");
		PreparedStatement release = connection.prepareStatement("SELECT pg_advisory_unlock(hashtextextended(?, 0))");
		return pair((key) -> isAnswered(take, key), (key) -> isAnswered(release, key));
	}

	private static Pair pair(Call acquire, Call release) {
		return new Pair() {

			@Override
			public boolean acquire(String key) {
				return run(acquire, key);
			}

			@Override
			public void release(String key) {
				if (!run(release, key)) {
					throw new IllegalStateException("The lock '" + key + "' was not held");
				}
			}

		};
	}

	private static boolean run(Call call, String key) {
		try {
			return call.on(key);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isAnswered(PreparedStatement statement, String... values) throws SQLException {
		set(statement, values);
		try (ResultSet rows = statement.executeQuery()) {
			return rows.next();
		}
	}

	private static void set(PreparedStatement statement, String... values) throws SQLException {
		for (int i = 0; i < values.length; i++) {
			statement.setString(i + 1, values[i]);
		}
	}

	/** A statement about a key. */
	private interface Call {

		boolean on(String key) throws SQLException;

	}

}
