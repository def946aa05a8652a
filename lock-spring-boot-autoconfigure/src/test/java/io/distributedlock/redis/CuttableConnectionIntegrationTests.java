package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.driver.CuttableConnection;
import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.SpringDriver;
import io.distributedlock.redis.driver.SubscribingConnection;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class CuttableConnectionIntegrationTests {

	private static final byte[] CHANNEL = "lock:channel".getBytes(StandardCharsets.UTF_8);

	private static RedisServer server;

	private static Supplier<SubscribingConnection> connections(RedisConnectionFactory factory) {
		return ((SpringDriver) RedisDrivers.of(factory))::subscribing;
	}

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	/** Jedis connects again by itself, and would wait there without end. */
	@Test
	void cutWhenTheThreadIsAboutToSubscribeEndsItAllTheSame() {
		try (MuteServer mute = new MuteServer(server, "SUBSCRIBE")) {
			RedisConnectionFactory factory = DriverUnderTest.JEDIS.connect(mute.address());
			CuttableConnection cuttable = new CuttableConnection(connections(factory));
			CountDownLatch borrowed = new CountDownLatch(1);
			CountDownLatch cut = new CountDownLatch(1);
			CompletableFuture<Void> subscription = CompletableFuture.runAsync(() -> cuttable.use((connection) -> {
				borrowed.countDown();
				await(cut);
				connection.subscribe(new Listener(), CHANNEL);
			}), DaemonThreads.pool("cut", 1));
			await(borrowed);
			cuttable.cut();
			cut.countDown();
			Awaitility.await().until(() -> mute.silent() > 0);
			Awaitility.await().untilAsserted(() -> assertThat(subscription).isCompletedExceptionally());
			DriverUnderTest.close(factory);
		}
	}

	/** Nobody gives one back, and the pool waits without end. */
	@Test
	void cutWhenTheThreadWaitsForAConnectionEndsThat() {
		JedisConnectionFactory factory = DriverUnderTest.connectOnce(server);
		RedisClient client = (RedisClient) factory.getConnection().getNativeConnection();
		try (Connection application = client.getPool().getResource()) {
			CuttableConnection cuttable = new CuttableConnection(connections(factory));
			CompletableFuture<Void> subscription = CompletableFuture.runAsync(
					() -> cuttable.use((connection) -> connection.subscribe(new Listener(), CHANNEL)),
					DaemonThreads.pool("cut", 1));
			Awaitility.await().until(() -> client.getPool().getNumWaiters() > 0);
			cuttable.cut();
			Awaitility.await().untilAsserted(() -> assertThat(subscription).isCompletedExceptionally());
			assertThat(application.ping()).isTrue();
		}
		factory.destroy();
	}

	/** Its client would not say which connection it has taken. */
	@Test
	void cutWhenTheThreadHasSubscribedToAClusterEndsThat() {
		CuttableConnection cuttable = new CuttableConnection(
				connections(SharedTopology.CLUSTER.factory(DriverUnderTest.JEDIS)));
		Listener listener = new Listener();
		CompletableFuture<Void> subscription = CompletableFuture.runAsync(
				() -> cuttable.use((connection) -> connection.subscribe(listener, CHANNEL)),
				DaemonThreads.pool("cut", 1));
		await(listener.subscribed);
		cuttable.cut();
		Awaitility.await().untilAsserted(() -> assertThat(subscription).isCompletedExceptionally());
	}

	@Test
	void useWhenItWasCutBeforeDoesNothing() {
		RedisConnectionFactory factory = DriverUnderTest.JEDIS.connect(server);
		CuttableConnection cuttable = new CuttableConnection(connections(factory));
		cuttable.cut();
		AtomicInteger used = new AtomicInteger();
		cuttable.use((connection) -> used.incrementAndGet());
		assertThat(used).hasValue(0);
		DriverUnderTest.close(factory);
	}

	/**
	 * As the client for Sentinel. Its connection would go back to the pool with the next
	 * message, subscribed.
	 */
	@Test
	void cutWhenTheClientGivesNoConnectionAwayLeavesTheSubscriptionAlone() {
		try (UnifiedJedis client = reticent();
				RedisClient publisher = RedisClient.create(server.host(), server.port())) {
			CuttableConnection cuttable = new CuttableConnection(connections(new FactoryOf(client)));
			AtomicReference<@Nullable SubscribingConnection> subscribed = new AtomicReference<>();
			Listener listener = new Listener();
			CompletableFuture<Void> subscription = CompletableFuture.runAsync(() -> cuttable.use((connection) -> {
				subscribed.set(connection);
				connection.subscribe(listener, CHANNEL);
			}), DaemonThreads.pool("cut", 1));
			await(listener.subscribed);
			cuttable.cut();
			publisher.publish(CHANNEL, CHANNEL);
			Awaitility.await().until(() -> listener.messages.get() == 1);
			assertThat(publisher.publish(CHANNEL, CHANNEL)).isOne();
			Awaitility.await().until(() -> listener.messages.get() == 2);
			assertThat(subscription).isNotDone();
			subscribed.get().unsubscribe();
			assertThat(subscription).succeedsWithin(Duration.ofSeconds(20));
			assertThat(client.ping()).isEqualTo("PONG");
		}
	}

	/** There are only deprecated ones that need no Sentinel. */
	@SuppressWarnings("deprecation")
	private static UnifiedJedis reticent() {
		return new UnifiedJedis(new PooledConnectionProvider(new HostAndPort(server.host(), server.port())));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Listener implements SubscribingConnection.Listener {

		private final CountDownLatch subscribed = new CountDownLatch(1);

		private final AtomicInteger messages = new AtomicInteger();

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.subscribed.countDown();
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			this.messages.incrementAndGet();
		}

	}

	/** Connections that all stand for one client. */
	private static final class FactoryOf extends JedisConnectionFactory {

		private final UnifiedJedis client;

		private FactoryOf(UnifiedJedis client) {
			this.client = client;
		}

		@Override
		public RedisConnection getConnection() {
			return new JedisConnection(this.client);
		}

	}

}
