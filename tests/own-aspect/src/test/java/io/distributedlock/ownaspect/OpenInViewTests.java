package io.distributedlock.ownaspect;

import java.util.concurrent.CompletableFuture;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.test.ConcurrentCalls;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two requests read an item, then sell it one after the other under its lock. With one
 * persistence context for the whole request, as Spring Boot has it by default, the second
 * sale computes with what was read before the lock.
 */
@SpringBootTest(classes = { ShopApplication.class, EntitySales.class, SaleController.class })
class OpenInViewTests {

	@Autowired
	private WebApplicationContext context;

	@Autowired
	private Till till;

	@Autowired
	private HikariDataSource dataSource;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private LockInspector inspector;

	@Test
	void saleWhenViewIsOpenIsLostAlthoughAllAreLocked() {
		assertThat(leftOfTenAfterTwoRequests("plain")).isEqualTo(9);
	}

	@Test
	void saleWhenViewIsOpenIsLostInNewTransactionsToo() {
		assertThat(leftOfTenAfterTwoRequests("new-transaction")).isEqualTo(9);
	}

	@Test
	void saleWhenItemIsRefreshedUnderTheLockIsNotLost() {
		assertThat(leftOfTenAfterTwoRequests("refreshed")).isEqualTo(8);
	}

	@Test
	void requestWhenViewIsOpenWaitsWithAConnection() {
		assertThat(connectionsOfTwoWaitingRequests()).isEqualTo(2);
	}

	private int leftOfTenAfterTwoRequests(String how) {
		this.till.restock("toy", 10);
		requests(how);
		return this.till.quantity("toy");
	}

	private void requests(String how) {
		MockMvcTester client = MockMvcTester.from(this.context);
		ConcurrentCalls<Integer> calls = ConcurrentCalls.call(2,
				() -> client.post().uri("/sales/{how}", how).exchange().getResponse().getStatus());
		assertThat(calls.results()).as(calls::toString).containsExactly(200, 200);
	}

	private int connectionsOfTwoWaitingRequests() {
		this.till.restock("toy", 10);
		CompletableFuture<Void> requests;
		int connections;
		try (Lease other = this.registry.acquire(LockRequest.of("stock", "toy"))) {
			assertThat(other.isHeld()).isTrue();
			requests = CompletableFuture.runAsync(() -> requests("plain"));
			Patience.await().until(() -> this.inspector.waiting().size() == 2);
			connections = this.dataSource.getHikariPoolMXBean().getActiveConnections();
		}
		assertThat(requests).succeedsWithin(Patience.CEILING);
		return connections;
	}

	/** The setting that ends both. */
	@Nested
	@TestPropertySource(properties = "spring.jpa.open-in-view=false")
	class SwitchedOff {

		@Test
		void saleWhenViewIsNotOpenIsNotLost() {
			assertThat(leftOfTenAfterTwoRequests("plain")).isEqualTo(8);
		}

		@Test
		void requestWhenViewIsNotOpenWaitsWithoutAConnection() {
			assertThat(connectionsOfTwoWaitingRequests()).isZero();
		}

	}

}
