package io.distributedlock.transaction;

import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Transactions inside a lock whose lease is lost before they commit. */
class LeaseTransactionListenerTests {

	private static final LockRequest BRIEF = LockRequest.of("k")
		.ttl(Duration.ofMillis(50))
		.renew(false)
		.waitFor(Duration.ofSeconds(20));

	private final DriverManagerDataSource dataSource = new DriverManagerDataSource(
			"jdbc:h2:mem:listened;DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(new MemoryLocks()));

	private final LockTemplate locks = new LockTemplate(this.registry);

	@BeforeEach
	void createTable() {
		this.jdbc.execute("CREATE TABLE IF NOT EXISTS stock (id INT)");
		this.jdbc.execute("DELETE FROM stock");
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	private DataSourceTransactionManager manager() {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.dataSource);
		manager.setTransactionExecutionListeners(List.of(new LeaseTransactionListener()));
		return manager;
	}

	private int rows() {
		return this.jdbc.queryForObject("SELECT COUNT(*) FROM stock", Integer.class);
	}

	@Test
	void transactionWithSynchronizationsRollsBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> insertTooLate(manager()));
		assertThat(rows()).isZero();
	}

	/** It has no synchronizations, which were to check the lease. */
	@Test
	void transactionWithoutSynchronizationsRollsBack() {
		DataSourceTransactionManager manager = manager();
		manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> insertTooLate(manager));
		assertThat(rows()).isZero();
	}

	/** The synchronizations of the other one are suspended meanwhile. */
	@Test
	void transactionInsideThatOfAnotherManagerRollsBack() {
		TransactionTemplate other = new TransactionTemplate(
				new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other")));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> other.executeWithoutResult((status) -> insertTooLate(manager())));
		assertThat(rows()).isZero();
	}

	/** Its savepoint is no commit. */
	@Test
	void transactionInsideItselfIsCheckedAtItsEnd() {
		DataSourceTransactionManager manager = manager();
		TransactionTemplate nested = new TransactionTemplate(manager);
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		this.locks.executeWithoutResult(LockRequest.of("k"),
				() -> new TransactionTemplate(manager).executeWithoutResult((status) -> nested
					.executeWithoutResult((inner) -> this.jdbc.update("INSERT INTO stock VALUES (1)"))));
		assertThat(rows()).isOne();
	}

	private void insertTooLate(PlatformTransactionManager manager) {
		this.locks.executeWithoutResult(BRIEF, () -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
			Lease lease = Lease.current().orElseThrow();
			this.jdbc.update("INSERT INTO stock VALUES (1)");
			Awaitility.await().until(() -> !lease.isHeld());
		}));
	}

}
