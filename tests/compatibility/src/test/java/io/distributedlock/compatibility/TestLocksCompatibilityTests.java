package io.distributedlock.compatibility;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.distributedlock.test.LockAssertions.assertThatMethod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The least of the test support that has to work on every supported Spring Boot. There is
 * no Redis here.
 */
@SpringBootTest(properties = "distributed-lock.wait=0")
@AutoConfigureTestLocks
class TestLocksCompatibilityTests {

	@Autowired
	private Stock stock;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private TestLocks locks;

	@Test
	void guardedMethodWhenHeldByAnotherInstanceIsRefused() {
		assertThatMethod(this.stock, "count").isGuardedBy("", "'stock'");
		try (Lease other = this.locks.hold("", "stock")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.stock::count);
		}
		assertThat(this.stock.count()).isOne();
	}

	@Test
	void leaseWhenExpiredIsLost() {
		Lease lease = this.registry.acquire(LockRequest.of("stock"));
		this.locks.expire("", "stock");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkHeld);
	}

	static class Stock {

		@DistributedLock("'stock'")
		public int count() {
			return 1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

}
