package io.distributedlock.guard.redis;

import javax.sql.DataSource;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.guard.FencingGuardContractTests;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("newer-servers")
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
	protected void write(String resource, long token, long value) {
		this.guard.write(resource, token, Long.toString(value));
	}

	@Override
	protected @Nullable Long read(String resource) {
		return this.guard.read(resource).map(Long::valueOf).orElse(null);
	}

	@Test
	void valueWhenNeverWrittenIsEmpty() {
		assertThat(this.guard.read("stock")).isEmpty();
	}

	@Test
	void writeWhenInAPipelineIsRefusedAndNotSent() {
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		redis.executePipelined(session(() -> assertRefused(new RedisFencingGuard(redis))));
		assertThat(this.guard.read("stock")).isEmpty();
	}

	@Test
	void writeWhenInMultiIsRefusedAndNotSent() {
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		redis.execute(session(() -> {
			redis.multi();
			assertRefused(new RedisFencingGuard(redis));
			redis.exec();
		}));
		assertThat(this.guard.read("stock")).isEmpty();
	}

	@Test
	void writeWhenInATransactionOfTheTemplateIsRefusedAndNotSent() {
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		redis.setEnableTransactionSupport(true);
		RedisFencingGuard transactional = new RedisFencingGuard(redis);
		DataSource database = new DriverManagerDataSource("jdbc:h2:mem:redis-guard");
		new TransactionTemplate(new JdbcTransactionManager(database))
			.executeWithoutResult((status) -> assertRefused(transactional));
		assertThat(this.guard.read("stock")).isEmpty();
	}

	private static SessionCallback<@Nullable Object> session(Runnable body) {
		return new SessionCallback<>() {

			@Override
			public <K, V> @Nullable Object execute(RedisOperations<K, V> operations) {
				body.run();
				return null;
			}

		};
	}

	/** The answer comes after the call has returned, too late to throw the refusal. */
	private static void assertRefused(RedisFencingGuard guard) {
		assertThatIllegalStateException().isThrownBy(() -> guard.write("stock", 7, "1"))
			.withMessageContaining("'stock'")
			.withMessageContaining("MULTI or a pipeline")
			.withMessageContaining("before or after it");
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
