package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Connections that are not as the store would set them up, and that break. */
class PostgresConnectionsIntegrationTests {

	private static final AtomicLong NUMBERS = new AtomicLong(2_000_000);

	private static LockKey newKey() {
		return new LockKey("connections", Long.toString(NUMBERS.incrementAndGet()));
	}

	private static AcquireCommand command(LockKey key, Duration waiting) {
		return new AcquireCommand(key, RequestId.of(NUMBERS.incrementAndGet(), 0, 1, 0), Duration.ofSeconds(60),
				Duration.ZERO, waiting);
	}

	private static Ownership pair(PostgresLockStore store, LockKey key) {
		AcquireCommand command = command(key, Duration.ZERO);
		await().until(() -> store.acquire(command).join() instanceof AcquireOutcome.Granted);
		return store.release(new ReleaseCommand(key, command.request())).join();
	}

	@Test
	void connectionsThatDoNotCommitByThemselvesAreMadeTo() {
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(SharedPostgres.SERVER.dataSource());
		settings.setAutoCommit(false);
		try (HikariDataSource pool = new HikariDataSource(settings);
				PostgresLockStore store = PostgresLockStore.builder(pool).build();
				PostgresLockStore other = PostgresLockStore.builder(SharedPostgres.pool()).build()) {
			LockKey key = newKey();
			assertThat(store.acquire(command(key, Duration.ZERO)).join()).isInstanceOf(AcquireOutcome.Granted.class);
			assertThat(other.acquire(command(key, Duration.ZERO)).join()).isInstanceOf(AcquireOutcome.Busy.class);
		}
	}

	/** The server refused what another instance had changed meanwhile (40001). */
	@Test
	void commandsDoNotFailWhereTransactionsAreSerializable() {
		var source = SharedPostgres.SERVER.dataSource();
		source.setOptions("-c default_transaction_isolation=serializable");
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(source);
		try (HikariDataSource pool = new HikariDataSource(settings);
				PostgresLockStore store = PostgresLockStore.builder(pool).build()) {
			LockKey key = newKey();
			List<CompletableFuture<List<Ownership>>> all = IntStream.range(0, 4)
				.mapToObj((i) -> CompletableFuture
					.supplyAsync(() -> IntStream.range(0, 25).mapToObj((j) -> pair(store, key)).toList()))
				.toList();
			assertThat(all).allSatisfy((each) -> assertThat(each.join()).containsOnly(Ownership.HELD));
		}
	}

	@Test
	void connectionsThatTheServerHasEndedDoNotFailACommand() throws SQLException {
		try (HikariDataSource pool = SharedPostgres.pool(4);
				PostgresLockStore store = PostgresLockStore.builder(pool)
					.commandTimeout(Duration.ofSeconds(60))
					.build();
				Connection administrator = SharedPostgres.SERVER.dataSource().getConnection()) {
			LockKey key = newKey();
			assertThat(pair(store, key)).isEqualTo(Ownership.HELD);
			administrator.createStatement()
				.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
						+ "AND query LIKE '%distributed_lock%'");
			assertThat(pair(store, key)).isEqualTo(Ownership.HELD);
		}
	}

	@Test
	void commandsRunOnTheThreadOfACallerThatLendsIt() {
		CountedThreads threads = new CountedThreads();
		try (PostgresLockStore store = PostgresLockStore.builder(threads.on(SharedPostgres.pool())).build()) {
			LockKey key = newKey();
			await().until(() -> {
				threads.seen.clear();
				AcquireCommand command = command(key, Duration.ZERO);
				CallerThread.lend(Duration.ofSeconds(10).toNanos(), () -> store.acquire(command)).join();
				CallerThread
					.lend(Duration.ofSeconds(10).toNanos(),
							() -> store.release(new ReleaseCommand(key, command.request())))
					.join();
				return threads.seen.stream().allMatch((thread) -> thread == Thread.currentThread());
			});
		}
	}

	/** The thread of the caller waited for the pool, whatever its budget. */
	@Test
	void budgetOfACallerBoundsTheWaitForAConnection() throws SQLException {
		Duration timeout = Duration.ofSeconds(25);
		try (HikariDataSource pool = SharedPostgres.pool(1);
				DefaultLockRegistry registry = new DefaultLockRegistry(
						PostgresLockStore.builder(pool).connections(1).commandTimeout(timeout).build())) {
			answer(registry);
			try (Connection taken = pool.getConnection()) {
				long start = System.nanoTime();
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> registry.acquire(LockRequest.of("budget").waitFor(Duration.ofMillis(50))))
					.withMessageContaining("the pool of the locks has no free connection");
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(timeout);
				assertThat(taken.isClosed()).isFalse();
			}
		}
	}

	@Test
	void timeOutOfThePoolFailsACommandWithTheReason() throws SQLException {
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(SharedPostgres.SERVER.dataSource());
		settings.setMaximumPoolSize(1);
		settings.setConnectionTimeout(250);
		try (HikariDataSource pool = new HikariDataSource(settings);
				DefaultLockRegistry registry = new DefaultLockRegistry(PostgresLockStore.builder(pool)
					.connections(1)
					.commandTimeout(Duration.ofSeconds(25))
					.build())) {
			answer(registry);
			try (Connection taken = pool.getConnection()) {
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> registry.acquire(LockRequest.of("pool").waitFor(Duration.ZERO)))
					.withMessageContaining("The pool of the locks had no connection: ")
					.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
				assertThat(taken.isClosed()).isFalse();
			}
		}
	}

	/** After an answer, commands run on the threads of their callers. */
	private static void answer(DefaultLockRegistry registry) {
		for (int i = 0; i < 3; i++) {
			registry.acquire(LockRequest.of("answer").waitFor(Duration.ofSeconds(20))).close();
		}
	}

	/** Each renewal left a process of the server that waited for the row. */
	@Test
	void commandThatTimesOutLeavesNoStatementWaiting() throws SQLException {
		try (PostgresLockStore store = PostgresLockStore.builder(SharedPostgres.pool())
			.commandTimeout(Duration.ofMillis(200))
			.build(); Connection blocker = SharedPostgres.SERVER.dataSource().getConnection()) {
			AcquireCommand command = command(newKey(), Duration.ZERO);
			await().until(() -> store.acquire(command).join() instanceof AcquireOutcome.Granted);
			blocker.setAutoCommit(false);
			blocker.createStatement()
				.execute("SELECT FROM distributed_lock WHERE name = '" + command.keys().get(0).encoded()
						+ "' FOR NO KEY UPDATE");
			RenewCommand renewal = new RenewCommand(command.keys().get(0), command.request(), Duration.ofSeconds(60));
			assertThat(store.renew(List.of(renewal)).get(0)).failsWithin(Duration.ofSeconds(60))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockStoreException.class);
			await().until(() -> waiting(blocker) == 0);
			blocker.rollback();
		}
	}

	private static int waiting(Connection connection) throws SQLException {
		try (ResultSet rows = connection.createStatement()
			.executeQuery(
					"SELECT count(*) FROM pg_stat_activity, pg_stat_clear_snapshot() WHERE wait_event_type = 'Lock'")) {
			rows.next();
			return rows.getInt(1);
		}
	}

	/** LISTEN took no effect before a commit, and stayed on a connection of the pool. */
	@Test
	void messagesArriveOnAConnectionOfAPoolAndThenNoMore() throws SQLException {
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(SharedPostgres.SERVER.dataSource());
		settings.setAutoCommit(false);
		settings.setMaximumPoolSize(1);
		Messages messages = new Messages();
		try (HikariDataSource pool = new HikariDataSource(settings);
				Connection sender = SharedPostgres.SERVER.dataSource().getConnection()) {
			try (PostgresLockStore store = PostgresLockStore.builder(SharedPostgres.pool())
				.listenDataSource(pool)
				.build()) {
				store.start("00000000000000bb", messages);
				store.listen();
				await().until(() -> "all".equals(messages.next()));
				sender.createStatement().execute("SELECT pg_notify('distributed-lock:00000000000000bb', 'unknown')");
				await().until(() -> messages.next() != null);
			}
			try (Connection next = pool.getConnection();
					ResultSet channels = next.createStatement().executeQuery("SELECT pg_listening_channels()")) {
				assertThat(channels.next()).isFalse();
			}
		}
	}

	/** It went back as it was: not broken, and listening. */
	@Test
	void connectionOfAPoolIsNotReturnedWithItsChannel() throws SQLException {
		JdbcTemplate administrator = new JdbcTemplate(SharedPostgres.SERVER.dataSource());
		administrator.execute("CREATE DATABASE without_messages");
		PGSimpleDataSource elsewhere = SharedPostgres.SERVER.dataSource();
		elsewhere.setDatabaseName("without_messages");
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(elsewhere);
		settings.setMaximumPoolSize(1);
		try (HikariDataSource pool = new HikariDataSource(settings);
				PostgresLockStore store = PostgresLockStore.builder(SharedPostgres.pool())
					.listenDataSource(pool)
					.commandTimeout(Duration.ofSeconds(2))
					.build()) {
			store.start("00000000000000ee", new Messages());
			store.listen();
			await().until(
					() -> administrator.queryForObject(
							"SELECT count(*) FROM pg_stat_activity "
									+ "WHERE datname = 'without_messages' AND query LIKE 'LISTEN%'",
							Integer.class) == 1);
			try (Connection next = pool.getConnection();
					ResultSet channels = next.createStatement().executeQuery("SELECT pg_listening_channels()")) {
				assertThat(channels.next()).isFalse();
			}
		}
	}

	/**
	 * The connection listened, and waiters that were given a lock slept on. The warning
	 * is in the log once.
	 */
	@Test
	void connectionToAnotherDatabaseDoesNotCountAsListening() throws SQLException {
		try (Connection administrator = SharedPostgres.SERVER.dataSource().getConnection()) {
			administrator.createStatement().execute("CREATE DATABASE without_locks");
		}
		PGSimpleDataSource elsewhere = SharedPostgres.SERVER.dataSource();
		elsewhere.setDatabaseName("without_locks");
		CountedStatements statements = new CountedStatements();
		Messages messages = new Messages();
		try (PostgresLockStore store = PostgresLockStore.builder(statements.on(SharedPostgres.pool()))
			.listenDataSource(elsewhere)
			.commandTimeout(Duration.ofMillis(500))
			.build()) {
			store.start("00000000000000dd", messages);
			store.listen();
			for (int i = 0; i < 2; i++) {
				await().until(() -> statements.take().stream().anyMatch((each) -> each.contains("pg_notify")));
			}
			assertThat(messages.next()).isNull();
		}
	}

	/** The thread ended, while its connection counted as one that listens. */
	@Test
	void listeningGoesOnAfterAnError() throws SQLException {
		PGSimpleDataSource source = SharedPostgres.SERVER.dataSource();
		Messages messages = new Messages();
		messages.error = new StackOverflowError("A listener failed");
		try (Connection sender = SharedPostgres.SERVER.dataSource().getConnection();
				PostgresLockStore store = PostgresLockStore.builder(SharedPostgres.pool())
					.listenDataSource(source)
					.build()) {
			store.start("00000000000000ee", messages);
			store.listen();
			await().until(() -> "all".equals(messages.next()));
			sender.createStatement().execute("SELECT pg_notify('distributed-lock:00000000000000ee', 'unknown')");
			await().until(() -> "lost".equals(messages.next()));
			await().until(() -> "all".equals(messages.next()));
		}
	}

	@Test
	void listeningGoesOnAfterARegistryThatFails() throws SQLException {
		PGSimpleDataSource source = SharedPostgres.SERVER.dataSource();
		source.setApplicationName("listening");
		Messages messages = new Messages();
		messages.failure = new IllegalStateException("A listener failed");
		try (Connection administrator = SharedPostgres.SERVER.dataSource().getConnection();
				PostgresLockStore store = PostgresLockStore.builder(SharedPostgres.pool())
					.listenDataSource(source)
					.build()) {
			store.start("00000000000000cc", messages);
			store.listen();
			await().until(() -> "all".equals(messages.next()));
			administrator.createStatement()
				.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listening'");
			await().until(() -> "lost".equals(messages.next()));
			await().until(() -> "all".equals(messages.next()));
		}
	}

	@Test
	void crashOfTheServerIsSurvivedAndWaitersAttemptAgain() {
		try (PostgresServer server = PostgresServer.start()) {
			PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(server.dataSource());
			Messages messages = new Messages();
			try (PostgresLockStore store = PostgresLockStore.builder(server.dataSource())
				.listenDataSource(server.dataSource())
				.build()) {
				store.start("00000000000000aa", messages);
				store.listen();
				await().until(() -> "all".equals(messages.next()));
				assertThat(pair(store, newKey())).isEqualTo(Ownership.HELD);
				server.crash();
				await().until(() -> "lost".equals(messages.next()));
				assertThat(store.acquire(command(newKey(), Duration.ZERO))).failsWithin(Duration.ofSeconds(60))
					.withThrowableOfType(Exception.class)
					.withRootCauseInstanceOf(Exception.class)
					.withCauseInstanceOf(LockStoreException.class);
				server.restart();
				await().until(() -> "all".equals(messages.next()));
				await().ignoreExceptions().until(() -> pair(store, newKey()) == Ownership.HELD);
			}
		}
	}

	/** The messages to a registry, in their order. */
	private static final class Messages implements WakeUpListener {

		private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		/** Thrown when messages are lost. */
		private volatile @Nullable RuntimeException failure;

		/** Thrown by the second call for all. */
		private volatile @Nullable Error error;

		private boolean called;

		String next() {
			return this.received.poll();
		}

		@Override
		public void wakeUp(String encodedKey) {
			this.received.add(encodedKey);
		}

		@Override
		public void wakeUpAll() {
			Error thrown = this.error;
			if (thrown != null && this.called) {
				this.error = null;
				throw thrown;
			}
			this.called = true;
			this.received.add("all");
		}

		@Override
		public void wakeUpsLost() {
			this.received.add("lost");
			if (this.failure != null) {
				throw this.failure;
			}
		}

	}

}
