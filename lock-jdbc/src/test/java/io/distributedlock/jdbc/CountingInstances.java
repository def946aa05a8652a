package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import io.distributedlock.store.LockKey;
import io.distributedlock.transaction.LeaseTransactionListener;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances whose workers add one to a counter again and again, each time in a
 * transaction under one lock: they read it, write a row in a journal, and write the
 * counter. Without the lock updates get lost. The journal is the order of the commits,
 * and each worker knows which of its transactions have committed, which have not, and of
 * which it does not know.
 */
final class CountingInstances implements AutoCloseable {

	/** Names of the connections at the server. */
	static final String STORE = "counting-store";

	static final String LISTENING = "counting-listening";

	static final String APPLICATION = "counting-application";

	private static final int INSTANCES = 2;

	/** Two of an instance hand the lock off to each other. */
	private static final int WORKERS = 2;

	static final Duration TTL = Duration.ofSeconds(2);

	/** Else the rows are forgotten by a jump, and tokens may go back after two. */
	private static final Duration LONGER_THAN_CLOCKS_JUMP = Duration.ofHours(3);

	private static final String TABLES = """
			DROP TABLE IF EXISTS journal, counter;
			CREATE TABLE journal (n int, id bigint, token bigint);
			CREATE TABLE counter (n int);
			INSERT INTO counter VALUES (0)
			""";

	private final LockKey key;

	private final HikariDataSource application;

	private final JdbcTemplate jdbc;

	private final List<AutoCloseable> closeables = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final List<AtomicLong> commits = new ArrayList<>();

	private final AtomicLong numbers = new AtomicLong();

	private final Set<Long> committed = ConcurrentHashMap.newKeySet();

	private final Set<Long> refused = ConcurrentHashMap.newKeySet();

	private final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

	private final AtomicReference<@Nullable Lease> last = new AtomicReference<>();

	private final AtomicLong overlaps = new AtomicLong();

	private final List<DefaultLockRegistry> registries = new ArrayList<>();

	private volatile boolean stopped;

	/**
	 * Create the tables and begin to count.
	 * @param addresses the addresses
	 * @param key the lock
	 */
	CountingInstances(Addresses addresses, String key) {
		this.key = new LockKey("", key);
		this.application = pool(addresses.application(), APPLICATION, INSTANCES * WORKERS + 1);
		this.jdbc = new JdbcTemplate(this.application);
		// The server may be too busy for a login within the second that the pool waits.
		await().ignoreExceptions().untilAsserted(() -> this.jdbc.execute(TABLES));
		for (int i = 0; i < INSTANCES; i++) {
			start(instance(addresses));
		}
	}

	/** As the configuration of Spring Boot makes it. */
	static HikariDataSource pool(String url, String name, int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.addDataSourceProperty("user", FaultyPostgres.USER);
		config.addDataSourceProperty("ApplicationName", name);
		config.addDataSourceProperty("loginTimeout", "5");
		config.setMinimumIdle(Math.min(2, size));
		config.setMaximumPoolSize(size);
		config.setInitializationFailTimeout(-1);
		config.setConnectionTimeout(1_000);
		return new HikariDataSource(config);
	}

	private DefaultLockRegistry instance(Addresses addresses) {
		HikariDataSource commands = pool(addresses.store(), STORE, 4);
		DefaultLockRegistry registry = new DefaultLockRegistry(
				PostgresLockStore.builder(commands)
					.retention(LONGER_THAN_CLOCKS_JUMP)
					.listenDataSource(addresses.listening())
					.checkCommits(new SpringTransactionConnection(this.application))
					.build(),
				LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), (event) -> {
				});
		this.registries.add(registry);
		this.closeables.add(registry);
		this.closeables.add(commands);
		return registry;
	}

	private void start(DefaultLockRegistry registry) {
		for (int i = 0; i < WORKERS; i++) {
			AtomicLong own = new AtomicLong();
			this.commits.add(own);
			Thread thread = new Thread(() -> work(new LockTemplate(registry), own), "counting");
			this.threads.add(thread);
			thread.start();
		}
	}

	private void work(LockTemplate locks, AtomicLong own) {
		LockRequest request = LockRequest.of(this.key.key()).ttl(TTL).waitFor(Duration.ofSeconds(3));
		while (!this.stopped) {
			Attempt attempt = new Attempt(this.numbers.incrementAndGet());
			try {
				locks.executeWithoutResult(request, () -> {
					enter(Lease.current().orElseThrow());
					attempt.run(this);
					own.incrementAndGet();
				});
			}
			catch (RuntimeException ex) {
				this.failures.add(ex);
				if (!attempt.commits && !this.committed.contains(attempt.id)) {
					this.refused.add(attempt.id);
				}
			}
		}
	}

	/** Note a holder that counts on its lease while another one has the lock. */
	private void enter(Lease lease) {
		Lease before = this.last.getAndSet(lease);
		if (before != null && before != lease && before.isHeld()) {
			this.overlaps.incrementAndGet();
		}
	}

	/** Wait until each worker has committed so many times from now on. */
	void awaitCommits(int times) {
		List<Long> now = this.commits.stream().map(AtomicLong::get).toList();
		for (int i = 0; i < now.size(); i++) {
			long enough = now.get(i) + times;
			AtomicLong own = this.commits.get(i);
			await().alias("commits of worker %d, failures %s".formatted(i, this.failures))
				.until(() -> own.get() >= enough);
		}
	}

	int failures() {
		return this.failures.size();
	}

	/** The failures other than that a lock was busy for long. */
	List<RuntimeException> errors() {
		return this.failures.stream().filter((each) -> !(each instanceof LockNotAcquiredException)).toList();
	}

	/** Holders that counted on their lease while another one had the lock. */
	long overlaps() {
		return this.overlaps.get();
	}

	/** Stop the workers, and check the history of all commits. */
	void stopAndVerify() throws InterruptedException {
		stopAndVerify(this.committed);
	}

	/**
	 * Stop the workers, and check the history.
	 * @param kept the commits that have to be there
	 */
	void stopAndVerify(Set<Long> kept) throws InterruptedException {
		stop();
		await().ignoreExceptions()
			.until(() -> this.jdbc.queryForObject("SELECT n FROM counter", Integer.class) != null);
		List<Map<String, Object>> journal = this.jdbc.queryForList("SELECT n, id, token FROM journal ORDER BY n, id");
		int count = this.jdbc.queryForObject("SELECT n FROM counter", Integer.class);
		assertThat(journal).extracting((row) -> row.get("n"))
			.as("numbers: no lost update, none twice")
			.containsExactlyElementsOf(Stream.iterate(1, (n) -> n <= count, (n) -> n + 1).toList());
		assertThat(journal).extracting((row) -> (Long) row.get("token")).as("tokens").isSorted();
		assertThat(journal).extracting((row) -> (Long) row.get("id"))
			.as("transactions")
			.doesNotHaveDuplicates()
			.containsAll(kept)
			.noneMatch(this.refused::contains);
		assertThat(this.failures).allSatisfy(CountingInstances::assertClear);
		assertNothingIsLeft();
	}

	/** The number of the last transaction that has begun. */
	long started() {
		return this.numbers.get();
	}

	/** The commits of transactions that have begun after another one. */
	Set<Long> committedSince(long started) {
		return this.committed.stream().filter((id) -> id > started).collect(Collectors.toSet());
	}

	private void stop() throws InterruptedException {
		this.stopped = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
	}

	private static void assertClear(RuntimeException failure) {
		assertThat(failure).isInstanceOfAny(LockException.class, DataAccessException.class, TransactionException.class);
		if (failure instanceof LockStoreException store) {
			assertThat(store.getKind()).as(store.getMessage()).isEqualTo(LockStoreException.Kind.UNAVAILABLE);
		}
	}

	/** Releases that were lost leave the lock until the lease is over, no longer. */
	private void assertNothingIsLeft() {
		await().untilAsserted(() -> assertThat(this.registries.get(0).inspect("", this.key.key()).holders()).isEmpty());
	}

	@Override
	public void close() throws Exception {
		stop();
		for (AutoCloseable each : this.closeables) {
			each.close();
		}
		this.application.close();
	}

	/**
	 * The addresses of the database.
	 *
	 * @param store for the store
	 * @param listening for wake-ups, or {@code null} to poll
	 * @param application for the transactions
	 */
	record Addresses(String store, @Nullable DataSource listening, String application) {
	}

	/** An addition. */
	private static final class Attempt implements TransactionExecutionListener {

		private final long id;

		/** Set between the check and the end of the commit. */
		private volatile boolean commits;

		Attempt(long id) {
			this.id = id;
		}

		void run(CountingInstances counting) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager(counting.application);
			manager.setTransactionExecutionListeners(List.of(new LeaseTransactionListener(), this));
			long token = Lease.current().orElseThrow().fencingToken();
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
				Integer n = counting.jdbc.queryForObject("SELECT n FROM counter", Integer.class);
				counting.jdbc.update("INSERT INTO journal VALUES (?, ?, ?)", n + 1, this.id, token);
				counting.jdbc.update("UPDATE counter SET n = ?", n + 1);
			});
			counting.committed.add(this.id);
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			this.commits = true;
		}

	}

}
