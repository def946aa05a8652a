package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import io.distributedlock.transaction.LeaseTransactionListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Workers of several instances that are paused between the look at their lease and the
 * commit, often for longer than the lease: their updates get lost, unless the owner is
 * checked where they commit.
 */
class CommitCheckProofIntegrationTests {

	private static final int WORKERS = 4;

	/** Number of commits that show a lost update without the check. */
	private static final int ENOUGH = 40;

	private static final Duration TTL = Duration.ofMillis(60);

	private final HikariDataSource dataSource = SharedPostgres.pool(WORKERS + 2);

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final AtomicInteger outlasted = new AtomicInteger();

	@BeforeEach
	void createTables() {
		this.jdbc.execute("DROP TABLE IF EXISTS number, total");
		this.jdbc.execute("CREATE TABLE number (n int)");
		this.jdbc.execute("CREATE TABLE total (n int); INSERT INTO total VALUES (0)");
	}

	@AfterEach
	void close() {
		this.dataSource.close();
	}

	@Test
	void updateWhenTheOwnerIsCheckedIsNeverLost() {
		work(true, TransactionDefinition.ISOLATION_READ_COMMITTED, () -> commits() >= ENOUGH);
		assertThat(lostUpdates()).isZero();
		assertThat(this.outlasted).as("commits after the end of the lease").hasPositiveValue();
	}

	/** The control: without the check they do get lost. */
	@Test
	void updateWhenOnlyTheLeaseIsCheckedIsLost() {
		work(false, TransactionDefinition.ISOLATION_READ_COMMITTED, () -> lostUpdates() > 0);
		assertThat(lostUpdates()).isPositive();
	}

	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.ISOLATION_READ_COMMITTED, TransactionDefinition.ISOLATION_REPEATABLE_READ })
	void numberWhenTheOwnerIsCheckedIsNeverGivenTwice(int isolation) {
		work(true, isolation, () -> commits() >= ENOUGH);
		assertThat(duplicates()).isZero();
		assertThat(this.outlasted).as("commits after the end of the lease").hasPositiveValue();
	}

	/** The control of a write skew, against which no version of a row helps. */
	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.ISOLATION_READ_COMMITTED, TransactionDefinition.ISOLATION_REPEATABLE_READ })
	void numberWhenOnlyTheLeaseIsCheckedIsGivenTwice(int isolation) {
		work(false, isolation, () -> duplicates() > 0);
		assertThat(duplicates()).isPositive();
	}

	/** The lock is free again before the stopped process goes on. */
	@Test
	void holderWhenStoppedBeforeItsCommitLosesItsConnection() {
		LockRequest request = LockRequest.of("stopped").ttl(TTL).renew(false).waitFor(Duration.ofMinutes(1));
		try (DefaultLockRegistry here = registry(true); DefaultLockRegistry there = registry(true)) {
			TransactionTemplate transaction = new TransactionTemplate(
					new DataSourceTransactionManager(this.dataSource));
			assertThatException().isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				this.jdbc.update("INSERT INTO number VALUES (1)");
				here.acquire(request).checkCommit();
				there.acquire(request).close();
			}));
		}
		assertThat(commits()).isZero();
	}

	private DefaultLockRegistry registry(boolean checked) {
		SpringTransactionConnection bound = new SpringTransactionConnection(this.dataSource);
		TransactionConnection paused = () -> {
			pause();
			return bound.current();
		};
		return new DefaultLockRegistry(
				PostgresLockStore.builder(SharedPostgres.pool()).checkCommits(checked ? paused : null).build(),
				LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), (event) -> {
				});
	}

	/** Let a lease run out, or not. */
	private static void pause() {
		try {
			Thread.sleep(ThreadLocalRandom.current().nextLong(2 * TTL.toMillis()));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void work(boolean checked, int isolation, BooleanSupplier enough) {
		List<CompletableFuture<Void>> workers = Stream.generate(() -> registry(checked))
			.limit(WORKERS)
			.map((registry) -> CompletableFuture.runAsync(() -> work(registry, isolation, enough),
					(task) -> new Thread(task).start()))
			.toList();
		workers.forEach(CompletableFuture::join);
	}

	private void work(DefaultLockRegistry registry, int isolation, BooleanSupplier enough) {
		LockTemplate locks = new LockTemplate(registry);
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.dataSource);
		manager.setTransactionExecutionListeners(List.of(new LeaseTransactionListener(), new Pause()));
		TransactionTemplate transaction = new TransactionTemplate(manager);
		transaction.setIsolationLevel(isolation);
		LockRequest request = LockRequest.of("proof").ttl(TTL).renew(false).waitFor(Duration.ofMinutes(1));
		try (registry) {
			while (!enough.getAsBoolean()) {
				try {
					locks.executeWithoutResult(request, () -> transaction.executeWithoutResult((status) -> count()));
				}
				catch (LockLostException ignored) {
					// Before the commit it was refused, after that its lease was over.
				}
			}
		}
	}

	/** Write what depends on what was read. */
	private void count() {
		Lease lease = Lease.current().orElseThrow();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				if (!lease.isHeld()) {
					CommitCheckProofIntegrationTests.this.outlasted.incrementAndGet();
				}
			}

		});
		int total = query("SELECT n FROM total");
		int highest = query("SELECT coalesce(max(n), 0) FROM number");
		this.jdbc.update("INSERT INTO number VALUES (?)", highest + 1);
		if (TransactionSynchronizationManager
			.getCurrentTransactionIsolationLevel() == TransactionDefinition.ISOLATION_READ_COMMITTED) {
			this.jdbc.update("UPDATE total SET n = ?", total + 1);
		}
	}

	private int query(String sql) {
		Integer answer = this.jdbc.queryForObject(sql, Integer.class);
		assertThat(answer).isNotNull();
		return answer;
	}

	private int commits() {
		return query("SELECT count(*) FROM number");
	}

	private int lostUpdates() {
		return query("SELECT (SELECT count(*) FROM number) - (SELECT n FROM total)");
	}

	private int duplicates() {
		return query("SELECT count(*) - count(DISTINCT n) FROM number");
	}

	/** A pause between the check and the commit. */
	private static final class Pause implements TransactionExecutionListener {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			pause();
		}

	}

}
