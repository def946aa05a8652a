package io.distributedlock.test.orders;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.AutoConfigureTestLocks.Replace;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A test of a user with Testcontainers; it is on the page docs/testing.md. Its container
 * is a server without Docker.
 */
@SpringBootTest(properties = "distributed-lock.locks.orders.wait=0")
@AutoConfigureTestLocks(replace = Replace.NONE)
class OrderServiceRedisIntegrationTests {

	private static final GenericContainer<?> REDIS = new GenericContainer<>("redis:8").withExposedPorts(6379);

	@Autowired
	private OrderService orders;

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private OrderService.Carrier carrier;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry properties) {
		REDIS.start();
		properties.add("spring.data.redis.host", REDIS::getHost);
		properties.add("spring.data.redis.port", REDIS::getFirstMappedPort);
	}

	@Test
	void orderThatAnotherInstanceShipsIsBusyInRedis() {
		try (Lease other = this.locks.hold("orders", "46")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.ship("46"));
		}
		this.orders.ship("46");
		assertThat(this.orders.shipments("46")).isOne();
	}

}
