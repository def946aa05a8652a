package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Subscriptions whose connections come from the pool of the application, as Jedis client
 * and with a {@code Jedis} for each connection, as in older versions of Spring Data
 * Redis.
 */
class JedisSubscriptionIntegrationTests {

	/** Takes connections from the pool of the application, where things can go wrong. */
	private static final RedisStoreSettings SHARED = RedisStoreSettings.DEFAULTS.withSharedConnection();

	/** Enough commands to use every connection that has been in the pool. */
	private static final int COMMANDS = 20;

	private final LockKey key = StoreUnderTest.newKey();

	private RedisServer server;

	private RedisClient client;

	private RedisCommands<String, String> redis;

	@BeforeEach
	void startServer() {
		this.server = RedisServers.start();
		this.client = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));
		this.redis = this.client.connect().sync();
		acl("reset", "on", ">secret", "+@all", "~*", "resetchannels");
	}

	@AfterEach
	void stopServer() {
		this.client.shutdown();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void poolWhenSubscriptionWasRefusedGivesEachCallerItsOwnAnswers(boolean unified) {
		for (int i = 1; i <= 20; i++) {
			try (StoreUnderTest one = store(unified)) {
				refuse(one, i);
				assertOwnAnswers(one.factory);
			}
		}
	}

	/**
	 * The application does not wait until the subscription has been refused, and has each
	 * connection in turn.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void poolWhileSubscriptionIsRefusedGivesEachCallerItsOwnAnswers(boolean unified) {
		for (int i = 1; i <= 20; i++) {
			try (StoreUnderTest one = new StoreUnderTest(factory(unified, false), SHARED)) {
				AtomicBoolean refused = new AtomicBoolean();
				List<CompletableFuture<Void>> application = List.of(busy(one.factory, refused),
						busy(one.factory, refused));
				refuse(one, i);
				refused.set(true);
				application.forEach(CompletableFuture::join);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void poolWhenSubscriptionWasEndedGivesEachCallerItsOwnAnswers(boolean unified) {
		acl("&*");
		JedisConnectionFactory factory = factory(unified, true);
		StoreUnderTest one = new StoreUnderTest(factory, SHARED);
		one.acquire(this.key, one.request()).join();
		one.waitFor(this.key, one.request()).join();
		await().until(() -> one.wokenAll.get() > 0);
		one.store.close();
		await().until(() -> this.redis.pubsubChannels().isEmpty());
		assertOwnAnswers(factory);
		factory.destroy();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void waiterWhenSubscriptionIsAllowedLaterIsToldToLookAndIsWoken(boolean unified) throws InterruptedException {
		try (StoreUnderTest one = store(unified); StoreUnderTest two = store(unified)) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			two.waitFor(this.key, two.request()).join();
			await().until(() -> refusals() > 0);
			acl("&*");
			await().until(() -> two.wokenAll.get() > 0);
			one.store.release(new ReleaseCommand(this.key, request)).join();
			assertThat(two.awaitWakeUp()).isEqualTo(this.key.encoded());
		}
	}

	/** An acquisition used to read the grant of another one. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answerWhenItIsThatOfAnotherCommandIsNotBelieved(boolean unified) {
		try (StoreUnderTest one = store(unified); StoreUnderTest two = store(unified)) {
			RequestId request = two.request();
			assertThat(two.acquire(this.key, request).join()).isInstanceOf(Granted.class);
			// Until then its first connection is being opened.
			assertThat(one.acquire(StoreUnderTest.newKey(), one.request()).join()).isInstanceOf(Granted.class);
			poison(one.factory);
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(one.acquire(StoreUnderTest.newKey(), one.request())::join)
				.havingCause()
				.isInstanceOfSatisfying(LockStoreException.class,
						(ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE))
				.havingCause()
				// Valkey 8.0 refuses what has spoiled the connection.
				.withMessageMatching(".*another command.*|NOSUB .*");
			for (int i = 0; i < COMMANDS; i++) {
				assertGrantedOnlyWhatIsOwned(one, StoreUnderTest.newKey());
				assertGrantedOnlyWhatIsOwned(one, this.key);
				assertThat(one.store.release(new ReleaseCommand(this.key, one.request()))
					.exceptionally((ex) -> Ownership.LOST)
					.join()).isEqualTo(Ownership.LOST);
				assertThat(one.renew(this.key, one.request()).exceptionally((ex) -> Ownership.LOST).join())
					.isEqualTo(Ownership.LOST);
			}
			assertThat(two.store.release(new ReleaseCommand(this.key, request)).join()).isEqualTo(Ownership.HELD);
		}
	}

	private void assertGrantedOnlyWhatIsOwned(StoreUnderTest one, LockKey wanted) {
		RequestId request = one.request();
		boolean granted = one.acquire(wanted, request).handle((outcome, failure) -> outcome instanceof Granted).join();
		if (granted) {
			assertThat(new LockOnTheWire(this.redis).owner("lock:" + wanted.encoded())).isEqualTo(request.toString());
		}
	}

	/** A request waits and cannot subscribe. */
	private void refuse(StoreUnderTest one, int count) {
		LockKey busy = StoreUnderTest.newKey();
		one.acquire(busy, one.request()).join();
		assertThat(one.waitFor(busy, one.request()).join()).isInstanceOf(Busy.class);
		await().until(() -> refusals() >= count);
	}

	/** Do as an application does with its own message listener container. */
	private static void poison(RedisConnectionFactory factory) {
		RedisConnection connection = factory.getConnection();
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> connection.subscribe((message, pattern) -> {
			}, "forbidden".getBytes(StandardCharsets.UTF_8)));
		connection.close();
	}

	private static CompletableFuture<Void> busy(RedisConnectionFactory factory, AtomicBoolean end) {
		return CompletableFuture.runAsync(() -> {
			while (!end.get()) {
				assertOwnAnswers(factory);
			}
		});
	}

	private static void assertOwnAnswers(RedisConnectionFactory factory) {
		for (int i = 0; i < COMMANDS; i++) {
			try (RedisConnection connection = factory.getConnection()) {
				byte[] word = ("word" + i).getBytes(StandardCharsets.UTF_8);
				assertThat(connection.echo(word)).isEqualTo(word);
			}
		}
	}

	private long refusals() {
		return this.redis.info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_subscribe:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*rejected_calls=(\\d+).*", "$1")))
			.sum();
	}

	private static ConditionFactory await() {
		return Awaitility.await().pollInterval(Duration.ofMillis(5));
	}

	private void acl(String... rules) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("mute");
		List.of(rules).forEach(args::add);
		this.redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
	}

	private StoreUnderTest store(boolean unified) {
		return new StoreUnderTest(factory(unified, true), SHARED);
	}

	private JedisConnectionFactory factory(boolean unified, boolean latestFirst) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.server.host(),
				this.server.port());
		configuration.setUsername("mute");
		configuration.setPassword("secret");
		GenericObjectPoolConfig<?> pool = new GenericObjectPoolConfig<>();
		pool.setLifo(latestFirst);
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration,
				JedisClientConfiguration.builder()
					.connectTimeout(StoreUnderTest.PATIENCE)
					.readTimeout(StoreUnderTest.PATIENCE)
					.usePooling()
					.poolConfig(pool)
					.build());
		DriverUnderTest.setUseUnifiedJedis(factory, unified);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
