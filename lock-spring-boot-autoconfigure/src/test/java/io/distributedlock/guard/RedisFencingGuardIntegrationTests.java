package io.distributedlock.guard;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

class RedisFencingGuardIntegrationTests extends FencingGuardContractTests {

	private static RedisServer server;

	private static LettuceConnectionFactory factory;

	private RedisFencingGuard guard;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		factory = new LettuceConnectionFactory(server.host(), server.port());
		factory.afterPropertiesSet();
		factory.start();
	}

	@AfterAll
	static void stop() throws Exception {
		factory.destroy();
		server.close();
	}

	@BeforeEach
	void clear() {
		this.guard = new RedisFencingGuard(new StringRedisTemplate(factory));
		try (RedisConnection connection = factory.getConnection()) {
			connection.serverCommands().flushAll();
		}
	}

	@Override
	void write(String resource, long token, long value) {
		this.guard.write(resource, token, Long.toString(value));
	}

	@Override
	@Nullable Long read(String resource) {
		return this.guard.read(resource).map(Long::valueOf).orElse(null);
	}

	@Test
	void valueWhenNobodyWroteItIsEmpty() {
		assertThat(this.guard.read("stock")).isEmpty();
	}

	@Test
	void scriptWhenForgottenByTheServerIsSentAgain() {
		write("stock", 7, 1);
		try (RedisConnection connection = factory.getConnection()) {
			connection.scriptingCommands().scriptFlush();
		}
		write("stock", 8, 2);
		assertThat(read("stock")).isEqualTo(2);
	}

}
