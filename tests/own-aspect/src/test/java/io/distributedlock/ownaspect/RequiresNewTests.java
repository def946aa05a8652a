package io.distributedlock.ownaspect;

import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.test.ConcurrentCalls;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers that have a transaction, and so a connection, wait for a lock whose holder
 * needs a connection as well. None ends until the pool gives up.
 */
@SpringBootTest(classes = ShopApplication.class, webEnvironment = WebEnvironment.NONE, properties = {
		"spring.datasource.hikari.maximum-pool-size=3", "spring.datasource.hikari.connection-timeout=5000" })
class RequiresNewTests {

	private static final int POOL = 3;

	private static final int CALLERS = 24;

	@Autowired
	private Till till;

	@Autowired
	private TransactionTemplate transaction;

	@BeforeEach
	void restock() {
		this.till.restock("toy", CALLERS);
	}

	@Test
	void homeMadeWhenCallersHaveTransactionsFindsNoConnection() {
		ConcurrentCalls<Void> calls = callersWithTransactions(() -> this.till.sellHomeMade("toy"));
		assertNoConnection(calls);
	}

	@Test
	void requiresNewWhenUnderOurLockFindsNoConnectionEither() {
		ConcurrentCalls<Void> calls = callersWithTransactions(() -> this.till.sellInNewTransaction("toy"));
		assertNoConnection(calls);
	}

	private void assertNoConnection(ConcurrentCalls<Void> calls) {
		assertThat(calls.failures()).isNotEmpty()
			.allSatisfy((failure) -> assertThat(failure).hasRootCauseInstanceOf(SQLTransientConnectionException.class));
		assertThat(this.till.quantity("toy")).isEqualTo(CALLERS - calls.results().size());
	}

	@Test
	void lockWhenCallersHaveTransactionsNeedsNoSecondConnection() {
		ConcurrentCalls<Void> calls = callersWithTransactions(() -> this.till.sell("toy"));
		assertThat(calls.failures()).isEmpty();
		assertThat(this.till.quantity("toy")).isZero();
	}

	/** The first ones go on when together they have all connections of the pool. */
	private ConcurrentCalls<Void> callersWithTransactions(Runnable sale) {
		CountDownLatch open = new CountDownLatch(POOL);
		return ConcurrentCalls.run(CALLERS, () -> this.transaction.execute((status) -> {
			open.countDown();
			Latches.await(open);
			sale.run();
			return true;
		}));
	}

}
