package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.internal.driver.WakeUpSubscription;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/** How a subscription ends that a thread waits for. */
class BlockingSubscriptionIntegrationTests {

	private static final String CHANNEL = "lock:channel";

	private static RedisServer server;

	private final Listener listener = new Listener();

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private WakeUpSubscription subscription(RedisConnectionFactory factory) {
		return RedisDrivers.of(factory).subscription(this.listener);
	}

	private void awaitEnd() {
		Awaitility.await().untilAsserted(() -> assertThat(this.listener.ended).isDone());
	}

	/** Jedis connects again by itself, and would wait there without end. */
	@Test
	void stopWhenTheServerDoesNotAnswerEndsIt() {
		try (MuteServer mute = new MuteServer(server, "SUBSCRIBE")) {
			RedisConnectionFactory factory = DriverUnderTest.JEDIS.connect(mute.address());
			WakeUpSubscription subscription = subscription(factory);
			subscription.start();
			Awaitility.await().until(() -> mute.silent() > 0);
			subscription.stop();
			awaitEnd();
			DriverUnderTest.close(factory);
		}
	}

	/** The only connection is in use, and the pool waits without end. */
	@Test
	void stopWhenTheThreadWaitsForAConnectionEndsThat() {
		JedisConnectionFactory factory = DriverUnderTest.connectOnce(server);
		Pool<Connection> pool = ((RedisClient) factory.getConnection().getNativeConnection()).getPool();
		try (Connection application = pool.getResource()) {
			WakeUpSubscription subscription = subscription(factory);
			subscription.start();
			Awaitility.await().until(() -> pool.getNumWaiters() > 0);
			subscription.stop();
			awaitEnd();
			assertThat(application.ping()).isTrue();
		}
		factory.destroy();
	}

	/** Its client would not say which connection it has taken. */
	@Test
	void stopWhenTheThreadHasSubscribedToAClusterEndsThat() {
		WakeUpSubscription subscription = subscription(SharedTopology.CLUSTER.factory(DriverUnderTest.JEDIS));
		subscription.start();
		this.listener.awaitSubscribed();
		subscription.stop();
		awaitEnd();
	}

	@Test
	void startWhenItWasStoppedBeforeBorrowsNothing() {
		RedisConnectionFactory factory = mock(RedisConnectionFactory.class);
		WakeUpSubscription subscription = subscription(factory);
		subscription.stop();
		subscription.start();
		awaitEnd();
		then(factory).shouldHaveNoInteractions();
	}

	/**
	 * As the client for Sentinel. Its connection would go back to the pool with the next
	 * message, subscribed.
	 */
	@Test
	void stopWhenTheClientGivesNoConnectionAwayWaitsForTheServer() {
		try (UnifiedJedis client = reticent()) {
			WakeUpSubscription subscription = subscription(new FactoryOf(client));
			subscription.start();
			this.listener.awaitSubscribed();
			server.pause();
			try {
				subscription.stop();
				Awaitility.await().during(Duration.ofMillis(1_500)).until(() -> !this.listener.ended.isDone());
			}
			finally {
				server.resume();
			}
			awaitEnd();
			assertThat(client.ping()).isEqualTo("PONG");
		}
	}

	/** There are only deprecated ones that need no Sentinel. */
	@SuppressWarnings("deprecation")
	private static UnifiedJedis reticent() {
		return new UnifiedJedis(new PooledConnectionProvider(new HostAndPort(server.host(), server.port())));
	}

	private static final class Listener implements WakeUpSubscription.Listener {

		private final CountDownLatch subscribed = new CountDownLatch(1);

		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private void awaitSubscribed() {
			try {
				this.subscribed.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public String channel() {
			return CHANNEL;
		}

		@Override
		public void ended(WakeUpSubscription subscription, @Nullable Throwable failure) {
			this.ended.complete(null);
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.subscribed.countDown();
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
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
