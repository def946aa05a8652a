package io.distributedlock.autoconfigure;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.data.redis.test.autoconfigure.DataRedisTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** A slice with Redis used to run guarded methods without their locks. */
@DataRedisTest
class DataRedisSliceIntegrationTests {

	private static final RedisServer SERVER = RedisServers.start();

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.host", SERVER::host);
		registry.add("spring.data.redis.port", SERVER::port);
	}

	@AfterAll
	static void stopServer() {
		SERVER.close();
	}

	@Test
	void methodWhenTheSliceHasRedisIsGuarded(@Autowired Guarded guarded, @Autowired RedisLockStore store) {
		assertThat(guarded.isLocked()).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage
	@Import(Guarded.class)
	static class Application {

	}

	static class Guarded {

		@DistributedLock("'k'")
		public boolean isLocked() {
			return Lease.current().isPresent();
		}

	}

}
