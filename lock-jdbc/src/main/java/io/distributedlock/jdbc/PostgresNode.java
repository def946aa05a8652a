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
import org.jspecify.annotations.Nullable;

/**
 * The server as operators see it. For an old snapshot anywhere in the database it keeps
 * the old versions of the rows of locks, and locks that are taken often get slower, 40
 * times within minutes. Every user may see the age of snapshots in transactions; only
 * some see their age in time.
 */
final class PostgresNode {

	static final String NAME = "PostgreSQL";

	private static final String STATE = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_is_in_recovery()";

	/** Sessions that vacuum hold nothing up. */
	private static final String OLDEST = """
			SELECT 'session ' || pid || coalesce(' of ' || usename, '')
					|| coalesce(' (' || nullif(application_name, '') || ')', '') AS owner,
				age(backend_xmin) AS transactions,
				coalesce(extract(epoch FROM clock_timestamp() - xact_start), -1)::bigint AS seconds
			FROM pg_stat_activity
			WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
				AND coalesce(datname, current_database()) = current_database()
				AND backend_type IS DISTINCT FROM 'autovacuum worker'
			UNION ALL SELECT 'prepared transaction ' || gid, age(transaction),
				extract(epoch FROM clock_timestamp() - prepared)::bigint
			FROM pg_prepared_xacts WHERE database = current_database()
			UNION ALL SELECT 'replication slot ' || slot_name, age(xmin), -1
			FROM pg_replication_slots WHERE xmin IS NOT NULL
			ORDER BY transactions DESC LIMIT 1
			""";

	private PostgresNode() {
	}

	/**
	 * Ask the server.
	 * @param connection a connection of the store
	 * @return the answer
	 */
	static StoreNode ask(Connection connection) throws SQLException {
		long start = System.nanoTime();
		try (PreparedStatement statement = connection.prepareStatement(STATE);
				ResultSet rows = statement.executeQuery()) {
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			rows.next();
			if (rows.getBoolean(2)) {
				return failed(new LockStoreException(Kind.UNAVAILABLE, "The server is a standby, which takes no writes",
						null));
			}
			Snapshot oldest = oldest(connection);
			return new StoreNode(NAME, took, Instant.ofEpochMilli(rows.getLong(1)), StoreNode.UNLIMITED, null,
					(oldest != null && oldest.isOld()) ? List.of(oldest.warning()) : List.of());
		}
	}

	/** Return the oldest snapshot of others in the database, or {@code null}. */
	static @Nullable Snapshot oldest(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(OLDEST);
				ResultSet rows = statement.executeQuery()) {
			return rows.next() ? new Snapshot(rows.getString(1), rows.getLong(2), Duration.ofSeconds(rows.getLong(3)))
					: null;
		}
	}

	/** Return the server after a failure, such as a time-out. */
	static StoreNode failed(Throwable failure) {
		return StoreNode.failed(NAME, (failure instanceof LockStoreException known) ? known
				: new LockStoreException(Kind.UNAVAILABLE, "No usable answer of PostgreSQL: " + failure, failure));
	}

	/**
	 * A snapshot that others have.
	 *
	 * @param owner the session, prepared transaction or replication slot that has it
	 * @param transactions its age in transactions of the server
	 * @param age its age, negative if it is not known
	 */
	record Snapshot(String owner, long transactions, Duration age) {

		/** A younger one does little harm. */
		private static final Duration OLD = Duration.ofMinutes(1);

		private static final long MANY_TRANSACTIONS = 10_000;

		/** Bound where the age is not known: a busy server needs a minute for them. */
		private static final long TOO_MANY_TRANSACTIONS = 100_000;

		boolean isOld() {
			return this.age.isNegative() ? this.transactions >= TOO_MANY_TRANSACTIONS
					: this.transactions >= MANY_TRANSACTIONS && this.age.compareTo(OLD) >= 0;
		}

		String warning() {
			return ("%s has a snapshot that is %d transactions%s old, for which PostgreSQL keeps old rows: locks that are "
					+ "taken often get slower until it ends")
				.formatted(this.owner, this.transactions,
						this.age.isNegative() ? "" : " and " + InvalidSettingException.text(this.age));
		}

	}

}
