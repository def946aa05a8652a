package io.distributedlock.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.Lease;
import io.distributedlock.transaction.LeaseTransactionListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.WhenLost;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockInterceptorTransactionTests {

	private final GuardedContext context = new GuardedContext().start(Transactions.class, Stock.class, Log.class);

	private final Stock stock = this.context.bean(Stock.class);

	private final List<String> log = this.context.bean(Log.class).entries;

	private final TransactionTemplate transaction = new TransactionTemplate(
			this.context.bean(PlatformTransactionManager.class));

	@BeforeEach
	void createTable() {
		this.context.bean(JdbcTemplate.class).execute("CREATE TABLE IF NOT EXISTS stock (id INT)");
		this.context.bean(JdbcTemplate.class).execute("DELETE FROM stock");
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	private int rows() {
		return this.context.bean(JdbcTemplate.class).queryForObject("SELECT COUNT(*) FROM stock", Integer.class);
	}

	@Test
	void transactionWhenInsideTheLockCommitsBeforeTheRelease() {
		this.stock.recordsOrder(this.context);
		assertThat(this.log).containsExactly("body in transaction, locked", "completed 0, locked");
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void retryWhenBodyFailsTakesTheLockAfresh() {
		this.stock.retried();
		assertThat(this.log).hasSize(2);
		assertThat(this.log.get(1)).isNotEqualTo(this.log.get(0));
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lockWhenTransactionIsOpenIsKeptUntilTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.insert();
			assertThat(this.context.isLocked("k")).isTrue();
		});
		assertThat(this.context.isLocked("k")).isFalse();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lockWhenTransactionIsOpenIsKeptUntilTheRollback() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.insert();
			status.setRollbackOnly();
			assertThat(this.context.isLocked("k")).isTrue();
		});
		assertThat(this.context.isLocked("k")).isFalse();
		assertThat(rows()).isZero();
	}

	@Test
	void lockWhenKeptForTheTransactionIsEnteredAgain() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.insert();
			this.stock.insert();
		});
		assertThat(rows()).isEqualTo(2);
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void readLockWhenKeptForTheTransactionDoesNotLetItWrite() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.read();
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(this.stock::insert);
		});
		assertThat(rows()).isZero();
		this.stock.insert();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lockWhenBodyFailsInOpenTransactionIsKeptUntilItsEnd() {
		this.transaction.executeWithoutResult((status) -> {
			assertThatIllegalStateException().isThrownBy(this.stock::fail);
			assertThat(this.context.isLocked("k")).isTrue();
		});
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void lossWhenAfterTheBodyRollsTheOpenTransactionBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				Lease lease = this.stock.insertAndKeep();
				this.context.steal("k");
				Awaitility.await().until(() -> !lease.isHeld());
			}))
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).isFalse());
		assertThat(rows()).isZero();
	}

	@Test
	void lossAtTheEndOfTheBodyRollsBackEvenIfCaught() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.transaction.executeWithoutResult(
				(status) -> assertThatExceptionOfType(LockLostException.class).isThrownBy(this.stock::insertTooLate)));
		assertThat(rows()).isZero();
	}

	@Test
	void lossWhenIgnoredLetsTheTransactionCommit() {
		this.transaction.executeWithoutResult((status) -> this.stock.insertIgnoringLoss());
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lossWhenInterruptInOpenTransactionLeavesNoFlagBehind() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(this.stock::insertUntilInterrupted);
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			}));
		assertThat(rows()).isZero();
	}

	@Test
	void lossWhenTransactionBeganInsideTheLockRollsItBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.stock::lostInsideTransaction);
		assertThat(rows()).isZero();
	}

	/** Not promised, as documented: the other thread knows nothing of the lock. */
	@Test
	void lossWhenTransactionBeganOnAnotherThreadIsToldAfterItsCommit() {
		assertThat(this.stock.lostOnAnotherThread(this.transaction, (action) -> action)).failsWithin(Patience.CEILING);
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lossWhenTransactionBeganInAWrappedActionRollsItBack() {
		assertThat(this.stock.lostOnAnotherThread(this.transaction, Lease::wrap)).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withRootCauseInstanceOf(LockLostException.class);
		assertThat(rows()).isZero();
	}

	@Test
	void lossWhenOtherThreadLooksAtTheLeaseRollsItBack() {
		assertThat(this.stock.checkedOnAnotherThread(this.transaction)).failsWithin(Patience.CEILING);
		assertThat(rows()).isZero();
	}

	@Test
	void actionWhenWrappedLeavesNoLeaseBehind() {
		List<Boolean> seen = new ArrayList<>();
		this.stock.wrap(() -> seen.add(Lease.current().isPresent())).get(0).run();
		seen.add(Lease.current().isPresent());
		assertThat(seen).containsExactly(true, false);
	}

	@Test
	void actionsWithAResultWhenWrappedHaveTheLeaseWhileTheyRun() throws Exception {
		List<Callable<Boolean>> wrapped = this.stock.wrapWithResult(() -> Lease.current().isPresent());
		assertThat(List.of(wrapped.get(0).call(), wrapped.get(1).call(), Lease.current().isPresent()))
			.containsExactly(true, true, false);
	}

	@Test
	void stageWhenTransactionIsOpenKeepsTheLockUntilBothHaveEnded() {
		CompletableFuture<Void> pending = new CompletableFuture<>();
		CompletableFuture<Void> result = this.transaction.execute((status) -> this.stock.later(pending));
		assertThat(this.context.isLocked("k")).isTrue();
		pending.complete(null);
		result.join();
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void stageWhenCompleteInOpenTransactionKeepsTheLock() {
		this.transaction.executeWithoutResult((status) -> {
			assertThat(this.stock.later(CompletableFuture.completedFuture(null))).isCompleted();
			assertThat(this.context.isLocked("k")).isTrue();
		});
		assertThat(this.context.isLocked("k")).isFalse();
	}

	static class Log {

		final List<String> entries = new ArrayList<>();

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		private final Log log;

		Stock(JdbcTemplate jdbc, Log log) {
			this.jdbc = jdbc;
			this.log = log;
		}

		@Transactional
		@DistributedLock("'k'")
		public void recordsOrder(GuardedContext context) {
			this.log.entries.add("body "
					+ (TransactionSynchronizationManager.isActualTransactionActive() ? "in transaction" : "alone")
					+ (context.isLocked("k") ? ", locked" : ", free"));
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCompletion(int status) {
					Stock.this.log.entries.add("completed " + status + (context.isLocked("k") ? ", locked" : ", free"));
				}
			});
		}

		@Retryable(delay = 1)
		@DistributedLock("'k'")
		@Transactional
		public void retried() {
			this.log.entries.add("token " + Lease.current().orElseThrow().fencingToken());
			this.jdbc.update("INSERT INTO stock VALUES (1)");
			if (this.log.entries.size() == 1) {
				throw new IllegalStateException("try again");
			}
		}

		@DistributedLock(key = "'k'", mode = LockMode.READ)
		public void read() {
		}

		@DistributedLock(key = "'k'", waitFor = "0")
		public void insert() {
			this.jdbc.update("INSERT INTO stock VALUES (1)");
		}

		@DistributedLock("'k'")
		public void fail() {
			throw new IllegalStateException("body");
		}

		/**
		 * The ttl outlasts the test until the lease is stolen, and is short enough for an
		 * early renewal.
		 */
		@DistributedLock(key = "'k'", ttl = "4s")
		public Lease insertAndKeep() {
			insert();
			return Lease.current().orElseThrow();
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		public void insertTooLate() {
			insert();
			awaitLoss();
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.IGNORE)
		public void insertIgnoringLoss() {
			insert();
			awaitLoss();
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public void insertUntilInterrupted() {
			insert();
			while (!Thread.currentThread().isInterrupted()) {
				Thread.onSpinWait();
			}
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		@Transactional
		public void lostInsideTransaction() {
			insert();
			awaitLoss();
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		public CompletableFuture<Void> lostOnAnotherThread(TransactionTemplate transaction,
				UnaryOperator<Runnable> decorator) {
			Lease lease = Lease.current().orElseThrow();
			return CompletableFuture
				.runAsync(decorator.apply(() -> transaction.executeWithoutResult((status) -> insertUnder(lease))));
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		public CompletableFuture<Void> checkedOnAnotherThread(TransactionTemplate transaction) {
			Lease lease = Lease.current().orElseThrow();
			return CompletableFuture.runAsync(() -> transaction.executeWithoutResult((status) -> {
				insertUnder(lease);
				lease.checkHeld();
			}));
		}

		@DistributedLock("'k'")
		public List<Runnable> wrap(Runnable action) {
			return List.of(Lease.wrap(action));
		}

		@DistributedLock("'k'")
		public List<Callable<Boolean>> wrapWithResult(Supplier<Boolean> action) {
			return List.of(Lease.wrapSupplier(action)::get, Lease.wrapCallable(action::get));
		}

		private void insertUnder(Lease lease) {
			this.jdbc.update("INSERT INTO stock VALUES (1)");
			Awaitility.await().until(() -> !lease.isHeld());
		}

		private void awaitLoss() {
			Lease lease = Lease.current().orElseThrow();
			Awaitility.await().until(() -> !lease.isHeld());
		}

		@DistributedLock("'k'")
		public CompletableFuture<Void> later(CompletableFuture<Void> pending) {
			return pending;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Transactions {

		@Bean
		DriverManagerDataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:guarded;DB_CLOSE_DELAY=-1");
		}

		@Bean
		JdbcTemplate jdbc(DriverManagerDataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		JdbcTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of(new LeaseTransactionListener()));
			return manager;
		}

	}

}
