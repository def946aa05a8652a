package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.state.CompareAndSwapLockStore;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.StoreNode;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * Lock store in a table of PostgreSQL (14 or newer): one row per lock, deadlines by the
 * server's clock. Its statements commit by themselves, on connections of its own.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class PostgresLockStore extends CompareAndSwapLockStore {

	private static final String READ = "SELECT t.state, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint "
			+ "FROM (SELECT 1) AS one LEFT JOIN %s AS t ON t.name = ?";

	private static final String UPDATE = "UPDATE %s SET state = ?, expires = clock_timestamp() + ? * interval '1 ms' "
			+ "WHERE name = ? AND state = ?";

	private static final String INSERT = "INSERT INTO %s (name, state, owners, token, expires) "
			+ "VALUES (?, ?, '{}', 0, clock_timestamp() + ? * interval '1 ms') ON CONFLICT DO NOTHING";

	private final DataSource dataSource;

	private final PostgresSchema schema;

	private final Duration commandTimeout;

	/** Closed with this store, or {@code null} if the connections are not its own. */
	private final @Nullable AutoCloseable owned;

	private final @Nullable CommitCheck commitCheck;

	private PostgresLockStore(Builder builder) {
		super(builder.retention);
		this.dataSource = builder.dataSource;
		this.schema = builder.schema;
		this.commandTimeout = builder.commandTimeout;
		this.owned = builder.owned;
		this.commitCheck = builder.commitCheck();
	}

	/**
	 * Begin a store.
	 * @param dataSource connections of the store's own, not those of the application's
	 * transactions: a small pool of 2 to 4. It is neither changed nor closed
	 * @return a builder with defaults
	 */
	public static Builder builder(DataSource dataSource) {
		return new Builder(dataSource);
	}

	@Override
	protected CompletableFuture<Stored> read(LockKey key) {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(READ.formatted(this.schema.table()))) {
			statement.setString(1, key.encoded());
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				return CompletableFuture.completedFuture(new Stored(rows.getString(1), rows.getLong(2)));
			}
		}
		catch (SQLException ex) {
			return CompletableFuture.failedFuture(failure(key, ex));
		}
	}

	@Override
	protected CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime) {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement(((expected != null) ? UPDATE : INSERT).formatted(this.schema.table()))) {
			if (expected != null) {
				statement.setString(1, text);
				statement.setLong(2, lifetime.toMillis());
				statement.setString(3, key.encoded());
				statement.setString(4, expected);
			}
			else {
				statement.setString(1, key.encoded());
				statement.setString(2, text);
				statement.setLong(3, lifetime.toMillis());
			}
			return CompletableFuture.completedFuture(statement.executeUpdate() == 1);
		}
		catch (SQLException ex) {
			return CompletableFuture.failedFuture(failure(key, ex));
		}
	}

	private static LockStoreException failure(LockKey key, SQLException ex) {
		return new LockStoreException(Kind.UNAVAILABLE, "'" + key + "': " + ex.getMessage(), ex);
	}

	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		return CompletableFuture.completedFuture(List.of(PostgresNode.ask("PostgreSQL", this.dataSource)));
	}

	@Override
	public @Nullable CommitCheck commitCheck() {
		return this.commitCheck;
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
	}

	@Override
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	/**
	 * Return {@code true} if the connections are {@linkplain Builder#closing closed with
	 * this store}.
	 */
	@Override
	public boolean isIndependent() {
		return this.owned != null;
	}

	@Override
	public void close() {
		try {
			if (this.owned != null) {
				this.owned.close();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException("The connections of the locks were not closed", ex);
		}
	}

	/** Settings of a store. Not thread-safe. */
	public static final class Builder {

		private final DataSource dataSource;

		private PostgresSchema schema = PostgresSchema.of(PostgresSchema.DEFAULT_TABLE);

		private Duration retention = Duration.ofSeconds(60);

		private Duration commandTimeout = Duration.ofSeconds(1);

		private boolean durable;

		private @Nullable DataSource listenDataSource;

		private @Nullable AutoCloseable owned;

		private @Nullable TransactionConnection transactions;

		private Duration idleBeforeCommit = Duration.ofSeconds(2);

		private Builder(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		/**
		 * Set the table.
		 * @param table its name, perhaps with its schema; {@code distributed_lock} by
		 * default
		 * @return this builder
		 * @throws InvalidSettingException if it is no plain name
		 */
		public Builder table(String table) {
			this.schema = PostgresSchema.of(table);
			return this;
		}

		/**
		 * Set how long tokens and ended requests are kept after a lease.
		 * @param retention from a second to 365 days; 60 seconds by default
		 * @return this builder
		 * @throws InvalidSettingException if it is shorter or longer
		 */
		public Builder retention(Duration retention) {
			InvalidSettingException.requireRange("retention", retention, Duration.ofSeconds(1), LockOptions.MAX_TTL);
			this.retention = retention;
			return this;
		}

		/**
		 * Set how long a command may go unanswered.
		 * @param commandTimeout from a millisecond to a minute; a second by default
		 * @return this builder
		 * @throws InvalidSettingException if it is shorter or longer
		 */
		public Builder commandTimeout(Duration commandTimeout) {
			InvalidSettingException.requireRange("commandTimeout", commandTimeout, Duration.ofMillis(1),
					Duration.ofMinutes(1));
			this.commandTimeout = commandTimeout;
			return this;
		}

		/**
		 * Set whether each change waits until it is on the disk of the server, and of its
		 * synchronous replicas.
		 * @param durable {@code false} by default: a crash of the server may forget the
		 * last 0.6 seconds of changes that no commit of the application has followed
		 * @return this builder
		 */
		public Builder durable(boolean durable) {
			this.durable = durable;
			return this;
		}

		/**
		 * Set a source of direct connections to the server for messages to waiters, one
		 * for each registry that waits. A pooler that shares connections between
		 * transactions delivers no messages.
		 * @param listenDataSource the source, or {@code null} to let waiters poll
		 * @return this builder
		 */
		public Builder listenDataSource(@Nullable DataSource listenDataSource) {
			this.listenDataSource = listenDataSource;
			return this;
		}

		/**
		 * Set connections that are the store's alone. The store closes them and needs no
		 * other objects of the application, so it serves until the end of its shutdown.
		 * @param connections the pools of both data sources
		 * @return this builder
		 */
		public Builder closing(AutoCloseable connections) {
			this.owned = connections;
			return this;
		}

		/**
		 * Set the transactions of the application on the database of the locks. Before
		 * each of them commits under a lock, its owner is checked in it, and the lock is
		 * kept from other holders until it has ended.
		 * @param transactions their connections, such as those of
		 * {@code SpringTransactionConnection}, of a user who may SELECT and UPDATE the
		 * table; {@code null} by default, to check only leases
		 * @return this builder
		 */
		public Builder checkCommits(@Nullable TransactionConnection transactions) {
			this.transactions = transactions;
			return this;
		}

		/**
		 * Set how long a transaction may stand still between that check and its end,
		 * before the server rolls it back and closes its connection. A process that was
		 * stopped there keeps the lock no longer than that.
		 * @param idleBeforeCommit from 100 milliseconds to a minute; 2 seconds by default
		 * @return this builder
		 * @throws InvalidSettingException if it is shorter or longer
		 */
		public Builder idleBeforeCommit(Duration idleBeforeCommit) {
			InvalidSettingException.requireRange("idleBeforeCommit", idleBeforeCommit, Duration.ofMillis(100),
					Duration.ofMinutes(1));
			this.idleBeforeCommit = idleBeforeCommit;
			return this;
		}

		private @Nullable CommitCheck commitCheck() {
			TransactionConnection known = this.transactions;
			return (known != null) ? new PostgresCommitCheck(this.schema.table(), known, this.idleBeforeCommit) : null;
		}

		/**
		 * Create the store. It connects with the first command.
		 * @return the store
		 */
		public PostgresLockStore build() {
			return new PostgresLockStore(this);
		}

	}

}
