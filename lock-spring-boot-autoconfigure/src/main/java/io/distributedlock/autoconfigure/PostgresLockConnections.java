package io.distributedlock.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.DistributedLockProperties.InitializeSchema;
import io.distributedlock.autoconfigure.DistributedLockProperties.Postgresql;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.jdbc.PostgresSchema;
import io.distributedlock.jdbc.TransactionConnection;
import io.distributedlock.jdbc.internal.PatientLogin;
import io.distributedlock.store.DaemonThreadFactory;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The connections of the locks to PostgreSQL, and the check of their table. They are no
 * data sources of the application, since Spring Boot would then not make its pool.
 * <p>
 * The start waits at most 5 s for the database. If it does not answer, the start goes on,
 * unless it was to make the table: a missing one fails the first acquisition.
 */
final class PostgresLockConnections implements SmartInitializingSingleton, AutoCloseable {

	private static final LockLog logger = LockLog.of(PostgresLockConnections.class);

	private static final String NAME = "distributed-lock";

	/** Connections that stay open without work: no renewal waits for a login. */
	private static final int IDLE = 2;

	private static final int MOST = 4;

	private static final Duration LONGEST = Duration.ofSeconds(5);

	/** Between attempts of the start. */
	private static final Duration PAUSE = Duration.ofMillis(100);

	/** The shortest time-out of HikariCP. */
	private static final Duration SHORTEST_WAIT = Duration.ofMillis(250);

	/** Firewalls forget silent connections. */
	private static final Duration KEEP_ALIVE = Duration.ofMinutes(2);

	private final LockDatabase database;

	private final Postgresql settings;

	private final PostgresSchema schema;

	private final HikariDataSource commands;

	private final PatientLogin patience;

	/** Kept for long, so without a pool, or {@code null} to poll. */
	private final @Nullable DataSource listening;

	private volatile boolean silent;

	private PostgresLockConnections(LockDatabase database, Postgresql settings, PostgresSchema schema,
			HikariDataSource commands, PatientLogin patience, @Nullable DataSource listening) {
		this.database = database;
		this.settings = settings;
		this.schema = schema;
		this.commands = commands;
		this.patience = patience;
		this.listening = listening;
	}

	/**
	 * Create the connections. Opens none before the first use.
	 * @param database the database with the table of the locks
	 * @param settings the settings of the store
	 * @throws InvalidLockPropertyException if a setting cannot work, or no driver takes
	 * an address
	 */
	static PostgresLockConnections of(LockDatabase database, Postgresql settings) {
		requireSize(settings.poolSize());
		PostgresSchema schema = PropertyRules.named(LockDatabase.PREFIX, () -> PostgresSchema.of(settings.table()));
		boolean polls = settings.wakeUp() == DistributedLockProperties.WakeUp.POLL;
		DataSource listening = polls ? null
				: DriverConnections.of(database.at(settings.listenUrl()), "distributed-lock-wake-ups", null);
		PatientLogin patience = new PatientLogin();
		return new PostgresLockConnections(database, settings, schema, pool(database, settings, patience), patience,
				listening);
	}

	private static void requireSize(int size) {
		if (size < IDLE || size > MOST) {
			throw new InvalidLockPropertyException(LockDatabase.PREFIX + "pool-size", size,
					"cannot work: it must be between %d and %d".formatted(IDLE, MOST), "Correct it", null);
		}
	}

	private static HikariDataSource pool(LockDatabase database, Postgresql settings, PatientLogin patience) {
		HikariConfig config = new HikariConfig();
		config.setPoolName(NAME);
		config.setDataSource(DriverConnections.of(database, NAME, patience));
		config.setMinimumIdle(IDLE);
		config.setMaximumPoolSize(settings.poolSize());
		config.setInitializationFailTimeout(-1);
		config.setKeepaliveTime(KEEP_ALIVE.toMillis());
		long wait = Math.max(SHORTEST_WAIT.toMillis(), settings.commandTimeout().toMillis());
		config.setConnectionTimeout(wait);
		// By default a silent connection is asked for 5 s.
		config.setValidationTimeout(wait);
		return new HikariDataSource(config);
	}

	/**
	 * Create the store, which closes these connections.
	 * @param transactions the transactions of the application, or {@code null} to check
	 * only leases before they commit
	 */
	PostgresLockStore store(@Nullable TransactionConnection transactions) {
		return PropertyRules.named(LockDatabase.PREFIX,
				() -> PostgresLockStore.builder(this.commands)
					.connections(this.settings.poolSize())
					.listenDataSource(this.listening)
					.table(this.settings.table())
					.retention(this.settings.tokenRetention())
					.commandTimeout(this.settings.commandTimeout())
					.durable(this.settings.durable())
					.checkCommits(transactions)
					.idleBeforeCommit(this.settings.idleBeforeCommit())
					.closing(this)
					.build());
	}

	@Override
	public void afterSingletonsInstantiated() {
		boolean creates = this.settings.initializeSchema() == InitializeSchema.ALWAYS;
		LockStoreException unchecked = attempts(creates);
		if (unchecked != null && creates) {
			throw unchecked;
		}
		this.silent = unchecked != null;
		if (unchecked != null) {
			logger.warn(("%s does not answer within %s. Until it does, no lock is acquired, and a missing table fails "
					+ "the first acquisition: %s")
				.formatted(this.database, InvalidSettingException.text(LONGEST), unchecked.getMessage()));
		}
	}

	/**
	 * Return the failure of a database that does not answer in time. The attempts have
	 * connections of their own, since a pool keeps the reason of a failure to itself for
	 * the command time-out.
	 */
	private @Nullable LockStoreException attempts(boolean creates) {
		DataSource single = DriverConnections.of(this.database, NAME, null);
		DaemonThreadFactory threads = new DaemonThreadFactory("distributed-lock-start-");
		Executor executor = (task) -> threads.newThread(task).start();
		Executor later = CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS, executor);
		long end = System.nanoTime() + LONGEST.toNanos();
		LockStoreException failure = new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				"The table '%s' of the locks cannot be checked: no answer in time".formatted(this.schema.table()),
				null);
		for (Executor next = executor; end - System.nanoTime() > 0; next = later) {
			try {
				CompletableFuture.runAsync(() -> attempt(single, creates), next)
					.orTimeout(end - System.nanoTime(), TimeUnit.NANOSECONDS)
					.join();
				return null;
			}
			catch (CompletionException ex) {
				failure = unavailable(ex, failure);
			}
		}
		return failure;
	}

	private void attempt(DataSource dataSource, boolean creates) {
		if (creates) {
			this.schema.create(dataSource);
		}
		this.schema.check(dataSource);
	}

	/** Return the reason of the last attempt that had one; throw any other failure. */
	private static LockStoreException unavailable(CompletionException failure, LockStoreException before) {
		if (failure.getCause() instanceof TimeoutException) {
			return before;
		}
		if (failure.getCause() instanceof LockStoreException reason
				&& reason.getKind() == LockStoreException.Kind.UNAVAILABLE) {
			return reason;
		}
		throw (failure.getCause() instanceof RuntimeException known) ? known : failure;
	}

	/** The address of the database. */
	String url() {
		return this.database.url();
	}

	/** Return {@code true} if the database has not answered at the start. */
	boolean isSilent() {
		return this.silent;
	}

	/** The table. */
	PostgresSchema schema() {
		return this.schema;
	}

	/** The connections for commands. */
	DataSource commands() {
		return this.commands;
	}

	/**
	 * Return a connection for commands, which gives up as soon as they do. The pool
	 * restores its time-out.
	 */
	Connection connection() throws SQLException {
		Connection connection = this.commands.getConnection();
		try {
			connection.setNetworkTimeout(Runnable::run, (int) this.commands.getConnectionTimeout());
			return connection;
		}
		catch (SQLException ex) {
			connection.close();
			throw ex;
		}
	}

	/**
	 * The connections as messages have them.
	 * @return the address, without secrets
	 */
	@Override
	public String toString() {
		return this.database.toString();
	}

	@Override
	public void close() {
		this.patience.close();
		this.commands.close();
	}

}
