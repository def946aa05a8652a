package io.distributedlock.test;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.AutoConfigureTestLocks.Replace;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The same on locks in Redis. */
@SpringBootTest(properties = { "distributed-lock.wait=0", "distributed-lock.redis.command-timeout=20s" })
@AutoConfigureTestLocks(replace = Replace.NONE)
@DirtiesContext
class TestLocksRedisIntegrationTests {

	private static final RedisServer SERVER = RedisServers.start();

	@Autowired
	private LockRegistry registry;

	@Autowired
	private TestLocks locks;

	@Autowired
	private StringRedisTemplate redis;

	@Autowired
	private ConfigurableApplicationContext context;

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.host", SERVER::host);
		properties.add("spring.data.redis.port", SERVER::port);
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@Test
	void holdWhenFreeIsInRedis() {
		try (Lease other = this.locks.hold("", "held")) {
			assertThat(this.redis.keys("*held*")).isNotEmpty();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.registry.acquire(LockRequest.of("held")));
		}
		this.registry.acquire(LockRequest.of("held")).close();
	}

	@Test
	void stealWhenHeldIsNoticed() {
		Lease lease = this.registry.acquire(LockRequest.of("stolen"));
		Lease other = this.locks.steal("", "stolen");
		assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkHeld);
	}

	@Test
	void makeUnavailableWhenALockIsAskedForIsNotBusy() {
		this.locks.makeUnavailable();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.registry.acquire(LockRequest.of("unavailable")));
	}

	@Test
	void storeWhenTheContextIsStoppedAndStartedGoesWithIt() {
		Lifecycle store = this.context.getBean("distributedLockStore", Lifecycle.class);
		assertThat(store.isRunning()).isTrue();
		this.context.stop();
		assertThat(store.isRunning()).isFalse();
		this.context.start();
		assertThat(store.isRunning()).isTrue();
		this.registry.acquire(LockRequest.of("after the start")).close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
