package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.jdbc.internal.CleanUp;
import io.distributedlock.jdbc.internal.JdbcLane;
import io.distributedlock.jdbc.internal.LockStatements;
import io.distributedlock.jdbc.internal.LockTableAccess;
import io.distributedlock.jdbc.internal.RecentReleases;
import io.distributedlock.jdbc.internal.WakeUpConnections;
import io.distributedlock.state.StateLockStore;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.StoreCapability;
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
public final class PostgresLockStore extends StateLockStore {

	private final Duration commandTimeout;

	private final @Nullable CommitCheck commitCheck;

	private final JdbcLane lane;

	private final LockTableAccess table;

	/** Closed with this store, or {@code null} if the connections are not its own. */
	private final @Nullable AutoCloseable owned;

	private final CleanUp cleanUp;

	/** {@code null} if waiters poll. */
	private final @Nullable WakeUpConnections wakeUps;

	private final boolean durable;

	private final Set<WakeUpListener> listeners = ConcurrentHashMap.newKeySet();

	private final RecentReleases releases = new RecentReleases();

	private PostgresLockStore(Builder builder) {
		super(builder.retention);
		this.commandTimeout = builder.commandTimeout;
		this.commitCheck = builder.commitCheck();
		this.owned = builder.owned;
		this.durable = builder.durable;
		this.lane = new JdbcLane(builder.dataSource, builder.commandTimeout, builder.connections);
		LockStatements statements = new LockStatements(builder.schema.table(), builder.durable, this::forgotten);
		this.table = new LockTableAccess(this.lane, statements);
		this.cleanUp = new CleanUp(this.lane, statements, builder.retention);
		this.wakeUps = (builder.listenDataSource != null)
				? new WakeUpConnections(builder.listenDataSource, builder.commandTimeout, this.table::sendTo) : null;
	}

	/**
	 * The server was started again, or a replica has taken its place, and may have
	 * forgotten what no commit or no replica waited for. Passed on by the thread of
	 * delays, mostly after the answer that shows it: the grant of an answer before which
	 * there was doubt does not count.
	 */
	private void forgotten() {
		// Before this answer is passed on, which may be that of a much later release.
		List<ReleaseCommand> again = this.releases.take();
		CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run).execute(() -> {
			this.listeners.forEach(WakeUpListener::doubted);
			again.forEach(this::release);
		});
	}

	/**
	 * Begin a store.
	 * @param dataSource connections of the store's own, not those of the application's
	 * transactions: a small pool of 2 to 4, which waits for a connection no longer than
	 * the command time-out. It is neither changed nor closed
	 * @return a builder with defaults
	 */
	public static Builder builder(DataSource dataSource) {
		return new Builder(dataSource);
	}

	@Override
	protected void run(Runnable command) {
		this.lane.run(command);
	}

	@Override
	protected @Nullable Expected expect(LockKey key) {
		return this.table.expect(key);
	}

	@Override
	protected CompletableFuture<Stored> read(LockKey key) {
		return this.table.read(key);
	}

	@Override
	protected CompletableFuture<Swap> replace(Replacement replacement) {
		return this.table.replace(replacement, this.durable ? List.of() : replacement.wakeUps());
	}

	@Override
	protected List<CompletableFuture<Swap>> replace(List<Replacement> replacements) {
		return this.table.replace(replacements, wakeUps(replacements));
	}

	@Override
	protected CompletableFuture<List<Stored>> readTogether(List<LockKey> keys) {
		return this.table.readTogether(keys);
	}

	@Override
	protected CompletableFuture<List<Swap>> replaceTogether(Map<LockKey, Expected> expected,
			List<Replacement> replacements) {
		return this.table.replaceTogether(expected, replacements, wakeUps(replacements));
	}

	private List<WakeUp> wakeUps(List<Replacement> replacements) {
		return this.durable ? List.of() : replacements.stream().flatMap((each) -> each.wakeUps().stream()).toList();
	}

	/**
	 * Messages go with the change, unless that waits for the disk: commits with messages
	 * run one after the other in the whole database.
	 */
	@Override
	protected void wakeUp(WakeUp wakeUp) {
		if (this.durable) {
			this.table.send(wakeUp);
		}
	}

	/** All, on threads of callers; wake-ups if there are connections for them. */
	@Override
	public Set<StoreCapability> capabilities() {
		Set<StoreCapability> all = super.capabilities();
		all.add(StoreCapability.CALLER_THREAD);
		all.add(StoreCapability.KEY_SETS);
		if (this.wakeUps != null) {
			all.add(StoreCapability.WAKE_UPS);
			all.add(StoreCapability.CLAIMS);
		}
		return all;
	}

	/** Return {@code true} for as many keys as a request may have. */
	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return keys.size() <= LockRequest.MAX_KEYS;
	}

	/**
	 * Attempt to take a lock. While no messages arrive, a waiter would not learn that a
	 * release gave it the lock. The first one that has to wait begins to listen.
	 */
	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		WakeUpConnections connections = this.wakeUps;
		if (connections != null && connections.isHeard()) {
			return super.acquire(command);
		}
		CompletableFuture<AcquireOutcome> answer = super.acquire(command.withoutClaim());
		if (connections != null && !command.waiting().isZero()) {
			listenIfBusy(connections, answer);
		}
		return answer;
	}

	private static void listenIfBusy(WakeUpConnections connections, CompletableFuture<AcquireOutcome> answer) {
		answer.thenAccept((outcome) -> {
			if (outcome instanceof AcquireOutcome.Busy) {
				connections.listen();
			}
		});
	}

	/** Release a lock, and once more if the server may have forgotten that. */
	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		CompletableFuture<Ownership> answer = super.release(command);
		answer.thenRun(() -> this.releases.add(command));
		return answer;
	}

	@Override
	public @Nullable CommitCheck commitCheck() {
		return this.commitCheck;
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.listeners.add(listener);
		this.cleanUp.start();
		if (this.wakeUps != null) {
			this.wakeUps.start(instance, listener);
		}
	}

	@Override
	public void listen() {
		if (this.wakeUps != null) {
			this.wakeUps.listen();
		}
	}

	@Override
	public String place(LockKey key) {
		return this.lane.place();
	}

	/**
	 * Return the server of the connections, with the warning of an old snapshot in its
	 * database.
	 */
	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		return this.lane.call(PostgresNode::ask)
			.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionally(PostgresNode::failed)
			.thenApply(List::of);
	}

	@Override
	public Map<String, Duration> sinceLastAnswer() {
		return Map.of(PostgresNode.NAME, this.lane.sinceLastAnswer());
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
		this.cleanUp.close();
		if (this.wakeUps != null) {
			this.wakeUps.close();
		}
		this.lane.close();
		try {
			if (this.owned != null) {
				this.lane.awaitEnd();
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

		private int connections = 4;

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
		 * Set how many statements run at a time.
		 * @param connections the size of the pool, from 1 to 100; 4 by default
		 * @return this builder
		 * @throws InvalidSettingException if it is smaller or larger
		 */
		public Builder connections(int connections) {
			if (connections < 1 || connections > 100) {
				throw new InvalidSettingException("connections", connections,
						"connections must be from 1 to 100, but is " + connections);
			}
			this.connections = connections;
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
		 * stopped there keeps the lock no longer than that. A shorter
		 * {@code idle_in_transaction_session_timeout} of the transaction stays.
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
			return (known != null) ? new PostgresCommitCheck(() -> this.schema.qualified(this.dataSource), known,
					this.idleBeforeCommit) : null;
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
