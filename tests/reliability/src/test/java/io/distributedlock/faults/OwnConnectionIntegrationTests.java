package io.distributedlock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.redis.RedisStoreSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Connection;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The locks have connections of their own: they come back soon, also when the old ones
 * are dead without a word, and nothing that the application does delays them.
 */
class OwnConnectionIntegrationTests {

	private static final String KEY = "order:42";

	private static final String CLIENT = "application";

	/** Far more than a reconnect takes, far less than the application's pause. */
	private static final LockRequest REQUEST = LockRequest.of(KEY).waitFor(Duration.ofSeconds(20));

	private static final LockRequest OTHER = LockRequest.of("other").waitFor(Duration.ofSeconds(20));

	private static final RedisStoreSettings OWN = RedisStoreSettings.DEFAULTS;

	/** For a single try on a busy machine. */
	private static final RedisStoreSettings PATIENT = new RedisStoreSettings(OWN.keyPrefix(), OWN.tokenRetention(),
			Duration.ofSeconds(20), true);

	private final FaultyRedis redis = new FaultyRedis();

	private final FaultProxy proxy = this.redis.proxy();

	private final ClientResources resources = ClientResources.builder()
		.reconnectDelay(Delay.constant(Duration.ofSeconds(30)))
		.build();

	@AfterEach
	void stop() throws Exception {
		this.redis.close();
		this.resources.shutdown(0, 1, TimeUnit.SECONDS).await();
	}

	private LettuceConnectionFactory lettuce() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()),
				LettuceClientConfiguration.builder().clientName(CLIENT).clientResources(this.resources).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/** Lettuce's pause had grown to 30 s, which the locks waited out. */
	@Test
	void lockAfterAnOutageDoesNotWaitForThePauseOfTheApplication() {
		LockRegistry here = this.redis.instance(lettuce(), OWN);
		here.acquire(REQUEST).close();
		this.proxy.refuse();
		await().pollDelay(Duration.ofSeconds(1)).until(() -> this.proxy.connections() == 0);
		this.proxy.pass();
		assertThat(here.acquire(REQUEST).isHeld()).isTrue();
	}

	/** A connection that the network had forgotten was never replaced. */
	@ParameterizedTest
	@EnumSource
	void lockWhenItsConnectionsAreSilentlyDeadIsKeptAndOthersAreGiven(Driver driver) {
		LockRegistry here = this.redis.instance(driver, this.proxy);
		Lease lease = here.acquire(REQUEST.ttl(Duration.ofSeconds(12)));
		this.proxy.silence();
		assertThat(here.acquire(OTHER).isHeld()).isTrue();
		Renewal.awaitNext(lease);
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	/** A blocking command of the application stood in front of each renewal. */
	@Test
	@SuppressWarnings("unchecked")
	void leaseWhenTheApplicationBlocksItsConnectionIsRenewed() {
		LettuceConnectionFactory factory = lettuce();
		LockRegistry here = this.redis.instance(factory, OWN);
		Lease lease = here.acquire(REQUEST.ttl(Duration.ofMillis(4500)));
		try (RedisConnection connection = factory.getConnection()) {
			CompletableFuture<?> popped = ((RedisAsyncCommands<byte[], byte[]>) connection.getNativeConnection())
				.blpop(20, "queue".getBytes(StandardCharsets.UTF_8))
				.toCompletableFuture();
			Stream.generate(() -> lease).limit(2).forEach(Renewal::awaitNext);
			assertThat(popped).isNotDone();
			assertThat(this.redis.isLost(KEY)).isFalse();
		}
	}

	/** Code that blocked in a continuation stood in front of each renewal. */
	@Test
	void leaseWhenTheApplicationBlocksItsEventLoopsIsRenewed() {
		LockRegistry here = this.redis.instance(lettuce(), OWN);
		Lease lease = here.acquire(REQUEST.ttl(Duration.ofMillis(4500)));
		CompletableFuture<Void> release = new CompletableFuture<>();
		RedisClient application = RedisClient.create(this.resources,
				RedisURI.create(this.redis.server.host(), this.redis.server.port()));
		AtomicInteger blocked = new AtomicInteger();
		for (int i = 0; i < this.resources.ioThreadPoolSize(); i++) {
			// Answered after it has its continuation, which would run on this thread
			// else.
			String queue = "blocked-" + i;
			application.connect().async().blpop(0, queue).thenRun(() -> {
				blocked.incrementAndGet();
				release.join();
			});
			this.redis.admin().rpush(queue, "go");
		}
		try {
			await().until(() -> blocked.get() == this.resources.ioThreadPoolSize());
			Stream.generate(() -> lease).limit(2).forEach(Renewal::awaitNext);
			assertThat(this.redis.isLost(KEY)).isFalse();
		}
		finally {
			release.complete(null);
			application.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	/** Locks waited for a connection out of the application's pool. */
	@Test
	void lockWhenTheApplicationHasExhaustedItsPoolIsGiven() {
		GenericObjectPoolConfig<Object> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(1);
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()),
				JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
		factory.afterPropertiesSet();
		factory.start();
		LockRegistry here = this.redis.instance(factory, OWN);
		redis.clients.jedis.RedisClient client = (redis.clients.jedis.RedisClient) factory.getConnection()
			.getNativeConnection();
		try (Connection borrowed = client.getPool().getResource()) {
			assertThat(here.acquire(REQUEST).isHeld()).isTrue();
			assertThat(borrowed.ping()).isTrue();
		}
	}

	@Test
	void connectionsOfAnInstanceAreOneMoreThanThoseThatAreShared() {
		this.redis.instance(lettuce(), OWN.withSharedConnection()).acquire(REQUEST).close();
		assertThat(connections()).isOne();
		this.redis.instance(lettuce(), OWN).acquire(REQUEST).close();
		assertThat(connections()).isEqualTo(2);
	}

	/** Only the second application has not used its own one. */
	private long connections() {
		return this.redis.admin().clientList().lines().filter((line) -> line.contains("name=" + CLIENT)).count();
	}

	/** A pool may have nothing but connections that the server has closed. */
	@ParameterizedTest
	@EnumSource
	void singleTryWhenTheServerHasClosedWhatWasIdleIsGiven(Driver driver) throws Exception {
		LockRegistry here = this.redis.instance(driver.connect(this.proxy.host(), this.proxy.port()), PATIENT);
		CompletableFuture<?>[] several = Stream.iterate(0, (i) -> i + 1)
			.limit(20)
			.map((i) -> here.acquireAsync(LockRequest.of("several:" + i))
				.toCompletableFuture()
				.thenAccept(Lease::close))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(several).get();
		this.redis.admin().configSet("timeout", "1");
		await().until(() -> this.proxy.connections() == 0);
		assertThat(here.tryAcquire(REQUEST.waitFor(Duration.ZERO))).isPresent();
	}

}
