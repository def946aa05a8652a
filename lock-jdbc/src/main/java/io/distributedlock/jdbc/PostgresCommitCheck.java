package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The check of the owner in the transaction of the application.
 * <p>
 * The rows of the locks are locked {@code FOR KEY SHARE}, which lets renewals and
 * releases pass, as each is an {@code UPDATE} that changes no key. All that takes a lock
 * from a holder locks the row {@code FOR UPDATE SKIP LOCKED}, so it finds the lock busy
 * until the transaction has ended. A plain {@code UPDATE} would pass as well.
 * <p>
 * It is by owner and not by token: tokens may repeat after a crash of the server, owners
 * do not. A session that stands still after the check would keep the lock, so the same
 * statement limits the time for which the server lets it.
 */
final class PostgresCommitCheck implements CommitCheck {

	/** The shorter one of two limits, in milliseconds; zero is none. */
	private static final String LIMIT = "(extract(epoch FROM least(nullif("
			+ "current_setting('idle_in_transaction_session_timeout')::interval, '0'), ?::interval)) * 1000)::int::text";

	/**
	 * Locks the rows in the order of their names. Joining an array of the locks takes the
	 * server three times as long.
	 */
	private static final String CHECK = "SELECT set_config('idle_in_transaction_session_timeout', " + LIMIT
			+ ", true) FROM %s WHERE %s ORDER BY name FOR KEY SHARE";

	private static final String OWNED = "(name = ? AND ? = ANY (owners))";

	/** The state of the answer if a row was taken from its holder after the snapshot. */
	private static final String SERIALIZATION_FAILURE = "40001";

	/** The state of the answer if the transaction may not lock, as it may not write. */
	private static final String READ_ONLY = "25006";

	private final TransactionConnection connections;

	private final Supplier<String> findTable;

	private volatile @Nullable String table;

	private final String idle;

	/**
	 * Create a check.
	 * @param table finds the table of the locks, by a name that means the same to each
	 * connection; called once
	 * @param connections the connections of the application's transactions
	 * @param idle how long a transaction may stand still between the check and its end
	 */
	PostgresCommitCheck(Supplier<String> table, TransactionConnection connections, Duration idle) {
		this.findTable = table;
		this.connections = connections;
		this.idle = Math.max(1, idle.toMillis()) + " ms";
	}

	@Override
	public @Nullable RuntimeException refusal(Map<LockKey, RequestId> owners) {
		Connection connection = this.connections.current();
		if (connection == null) {
			return null;
		}
		try {
			if (connection.isReadOnly() || connection.getAutoCommit()) {
				return null;
			}
			return (lock(connection, owners) == owners.size()) ? null : unseen(owners);
		}
		catch (SQLException ex) {
			return failure(ex, connection, owners);
		}
	}

	private @Nullable RuntimeException failure(SQLException failure, Connection connection,
			Map<LockKey, RequestId> owners) {
		SQLException unsolved = failure;
		if (READ_ONLY.equals(failure.getSQLState())) {
			try {
				endReading(connection);
				return null;
			}
			catch (SQLException ex) {
				unsolved = ex;
			}
		}
		RuntimeException translated = this.connections
			.translate("check the owner of " + owners.keySet() + " before the commit", unsolved);
		if (SERIALIZATION_FAILURE.equals(unsolved.getSQLState())) {
			return translated;
		}
		throw translated;
	}

	/**
	 * End a transaction that is read-only by its user or by a statement. It has no
	 * effect, so its rollback is as good as its commit, which the refused lock makes
	 * impossible. What is flushed by the commit still cannot be written.
	 */
	private static void endReading(Connection connection) throws SQLException {
		connection.rollback();
		try (Statement statement = connection.createStatement()) {
			statement.execute("SET TRANSACTION READ ONLY");
		}
	}

	private String table() {
		String known = this.table;
		if (known == null) {
			known = this.findTable.get();
			this.table = known;
		}
		return known;
	}

	/** Lock the rows of the locks that have their owners, and count them. */
	private int lock(Connection connection, Map<LockKey, RequestId> owners) throws SQLException {
		String owned = String.join(" OR ", Collections.nCopies(owners.size(), OWNED));
		try (PreparedStatement statement = connection.prepareStatement(CHECK.formatted(table(), owned))) {
			int parameter = 0;
			statement.setString(++parameter, this.idle);
			for (Map.Entry<LockKey, RequestId> owner : owners.entrySet()) {
				statement.setString(++parameter, owner.getKey().encoded());
				statement.setString(++parameter, owner.getValue().toString());
			}
			int locked = 0;
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					locked++;
				}
			}
			return locked;
		}
	}

	/** The failure if the store confirms that each has its lock. */
	private static LockStoreException unseen(Map<LockKey, RequestId> owners) {
		return new LockStoreException(Kind.MISCONFIGURED,
				("The transaction does not see that its holder has %s, which the store confirms. Either it reads from "
						+ "a snapshot from before the lock was acquired (REPEATABLE_READ, SERIALIZABLE): let it begin "
						+ "under the lock, or use READ_COMMITTED. Or its connection is to another database than that "
						+ "of the locks")
					.formatted(owners.keySet()),
				null);
	}

}
