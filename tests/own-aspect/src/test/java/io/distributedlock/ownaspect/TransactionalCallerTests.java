package io.distributedlock.ownaspect;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** A guarded method whose caller is in a transaction already. */
@SpringBootTest(classes = { ShopApplication.class, EntitySales.class, Shipping.class },
		webEnvironment = WebEnvironment.NONE)
@ExtendWith(OutputCaptureExtension.class)
class TransactionalCallerTests {

	@Autowired
	private Till till;

	@Autowired
	private EntitySales sales;

	@Autowired
	private Shipping shipping;

	@Autowired
	private ApplicationEventPublisher events;

	@Autowired
	private HikariDataSource dataSource;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private LockInspector inspector;

	private final TransactionTemplate transaction;

	TransactionalCallerTests(@Autowired PlatformTransactionManager manager) {
		this.transaction = new TransactionTemplate(manager);
	}

	@BeforeEach
	void restock() {
		this.till.restock("toy", 10);
	}

	private boolean isLocked() {
		return this.inspector.isLocked("stock", "toy");
	}

	private int connections() {
		return this.dataSource.getHikariPoolMXBean().getActiveConnections();
	}

	/** By another thread, which does not see what is not committed. */
	private int committed() {
		return CompletableFuture.supplyAsync(() -> this.till.quantity("toy")).join();
	}

	@Test
	void lockWhenMethodJoinsTheTransactionIsKeptUntilItsCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.till.sell("toy");
			assertThat(isLocked()).isTrue();
			assertThat(connections()).isOne();
			assertThat(committed()).isEqualTo(10);
		});
		assertThat(isLocked()).isFalse();
		assertThat(committed()).isEqualTo(9);
	}

	@Test
	void lockWhenMethodHasANewTransactionIsKeptForTheOuterOneToo() {
		this.transaction.executeWithoutResult((status) -> {
			this.till.sellInNewTransaction("toy");
			assertThat(committed()).isEqualTo(9);
			assertThat(isLocked()).isTrue();
		});
		assertThat(isLocked()).isFalse();
	}

	@Test
	void saleWhenTheCallerIsReadOnlyIsDroppedWithoutAnError() {
		this.transaction.setReadOnly(true);
		this.transaction.executeWithoutResult((status) -> {
			this.sales.sell("toy");
			assertThat(isLocked()).isTrue();
		});
		assertThat(committed()).isEqualTo(10);
		this.transaction.executeWithoutResult((status) -> this.sales.sellInNewTransaction("toy"));
		assertThat(committed()).isEqualTo(9);
	}

	@Test
	void readUnderTheLockWhenReadsAreRepeatableIsStale() {
		assertThat(readUnderTheLock(TransactionDefinition.ISOLATION_REPEATABLE_READ)).isEqualTo(10);
	}

	@Test
	void readUnderTheLockWhenCommittedReadsCountIsFresh() {
		assertThat(readUnderTheLock(TransactionDefinition.ISOLATION_READ_COMMITTED)).isEqualTo(9);
	}

	/** A sale by another thread lies between the first read and the lock. */
	private int readUnderTheLock(int isolation) {
		this.transaction.setIsolationLevel(isolation);
		return this.transaction.execute((status) -> {
			assertThat(this.till.quantity("toy")).isEqualTo(10);
			CompletableFuture.runAsync(() -> this.till.sell("toy")).join();
			return this.till.quantityUnderTheLock("toy");
		});
	}

	@Test
	void callerWhenItWaitsInATransactionHasAConnection() {
		assertThat(connectionsOfAWaiter(() -> this.transaction.executeWithoutResult((status) -> this.till.sell("toy"))))
			.isOne();
	}

	@Test
	void callerWhenItWaitsWithoutATransactionHasNoConnection() {
		assertThat(connectionsOfAWaiter(() -> this.till.sell("toy"))).isZero();
	}

	private int connectionsOfAWaiter(Runnable sale) {
		CompletableFuture<Void> waiter;
		int connections;
		try (Lease other = this.registry.acquire(LockRequest.of("stock", "toy"))) {
			assertThat(other.isHeld()).isTrue();
			waiter = CompletableFuture.runAsync(sale);
			Patience.await().until(() -> !this.inspector.waiting().isEmpty());
			connections = connections();
		}
		assertThat(waiter).succeedsWithin(Patience.CEILING);
		return connections;
	}

	@Test
	void listenerWhenInANewTransactionHasASecondConnection() {
		this.till.restock("shipped toy", 0);
		List<String> pictures = this.shipping.pictures(() -> "connections: " + connections());
		sellAndPublish();
		assertThat(pictures).containsExactly("connections: 2");
		assertThat(this.till.quantity("shipped toy")).isOne();
		assertThat(this.inspector.isLocked("shipping", "toy")).isFalse();
	}

	@Test
	void listenerWhenItsLockIsBusyIsOnlyLogged(CapturedOutput output) {
		this.till.restock("shipped toy", 0);
		try (Lease other = this.registry.acquire(LockRequest.of("shipping", "toy"))) {
			assertThat(other.isHeld()).isTrue();
			sellAndPublish();
		}
		assertThat(committed()).isEqualTo(9);
		assertThat(this.till.quantity("shipped toy")).isZero();
		assertThat(output).contains("LockNotAcquiredException");
	}

	private void sellAndPublish() {
		this.transaction.executeWithoutResult((status) -> {
			this.till.sell("toy");
			this.events.publishEvent(new Shipping.Sold("toy"));
		});
	}

}
