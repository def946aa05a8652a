package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.StoreNode;

/**
 * The server as operators see it. An old snapshot anywhere in the database makes it keep
 * the old versions of the rows of locks, and locks that are taken often get slower by a
 * factor of 40 within minutes. Every user may see the age of snapshots in transactions;
 * only some see how long that took.
 */
final class PostgresNode {

	private static final String NAME = "PostgreSQL";

	/** Sessions that vacuum hold nothing up. */
	private static final String QUERY = """
			SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_is_in_recovery(),
				o.what, coalesce(o.transactions, 0), coalesce(o.seconds, -1)
			FROM (SELECT 1) AS one LEFT JOIN (
				SELECT 'session ' || pid || coalesce(' of ' || usename, '')
						|| coalesce(' (' || nullif(application_name, '') || ')', '') AS what,
					age(backend_xmin) AS transactions,
					extract(epoch FROM clock_timestamp() - xact_start)::bigint AS seconds
				FROM pg_stat_activity
				WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
					AND coalesce(datname, current_database()) = current_database()
					AND backend_type IS DISTINCT FROM 'autovacuum worker'
				UNION ALL SELECT 'prepared transaction ' || gid, age(transaction),
					extract(epoch FROM clock_timestamp() - prepared)::bigint
				FROM pg_prepared_xacts WHERE database = current_database()
				UNION ALL SELECT 'replication slot ' || slot_name, age(xmin), NULL
				FROM pg_replication_slots WHERE xmin IS NOT NULL
				ORDER BY transactions DESC LIMIT 1) AS o ON true
			""";

	/** A snapshot that is younger does little harm. */
	private static final Duration OLD = Duration.ofMinutes(1);

	private static final long MANY_TRANSACTIONS = 10_000;

	/** Bound where the time is not known: a busy database is through it in a minute. */
	private static final long TOO_MANY_TRANSACTIONS = 100_000;

	private PostgresNode() {
	}

	/**
	 * Ask the server, by one statement.
	 * @param connection a connection of the store
	 * @return the answer
	 */
	static StoreNode ask(Connection connection) throws SQLException {
		long start = System.nanoTime();
		try (PreparedStatement statement = connection.prepareStatement(QUERY);
				ResultSet rows = statement.executeQuery()) {
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			rows.next();
			if (rows.getBoolean(2)) {
				return StoreNode.failed(NAME, new LockStoreException(Kind.UNAVAILABLE,
						"The server is a standby, which takes no writes", null));
			}
			return new StoreNode(NAME, took, Instant.ofEpochMilli(rows.getLong(1)), StoreNode.UNLIMITED, null,
					warnings(rows.getString(3), rows.getLong(4), Duration.ofSeconds(rows.getLong(5))));
		}
	}

	/** Return the server after a failure, such as a time-out. */
	static StoreNode failed(Throwable failure) {
		return StoreNode.failed(NAME, (failure instanceof LockStoreException known) ? known
				: new LockStoreException(Kind.UNAVAILABLE, "No usable answer of PostgreSQL: " + failure, failure));
	}

	/**
	 * Return the warning of an old snapshot.
	 * @param age its age, negative if it is not known
	 */
	static List<String> warnings(String owner, long transactions, Duration age) {
		boolean known = !age.isNegative();
		if (transactions < (known ? MANY_TRANSACTIONS : TOO_MANY_TRANSACTIONS) || (known && age.compareTo(OLD) < 0)) {
			return List.of();
		}
		return List.of(("%s has a snapshot that is %d transactions%s old, for which PostgreSQL keeps old rows: locks "
				+ "that are taken often get slower until it ends")
			.formatted(owner, transactions, known ? " and " + InvalidSettingException.text(age) : ""));
	}

}
