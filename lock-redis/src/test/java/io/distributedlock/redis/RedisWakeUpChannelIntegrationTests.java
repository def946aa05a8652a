package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.WakeUpListener;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RedisWakeUpChannel} where the connection hangs.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisWakeUpChannelIntegrationTests {

	private static final String CHANNEL = "lock:!wake:" + RedisWakeUpChannelIntegrationTests.class.getSimpleName();

	/** The subscription used to outlive the store. */
	@Test
	void subscriptionWhenItSucceedsOnlyAfterTheCloseIsEnded() throws InterruptedException {
		HangingFactory factory = new HangingFactory();
		try (RedisWakeUpChannel channel = new RedisWakeUpChannel(RedisDrivers.of(factory), CHANNEL, new Deaf())) {
			channel.subscribe();
			Awaitility.await().until(() -> factory.caller.get() != null);
		}
		factory.answer.complete(null);
		factory.caller.get().join();
		Awaitility.await().until(() -> subscribers() == 0);
		factory.destroy();
	}

	/** With Lettuce it comes back by itself, and was taken for good meanwhile. */
	@Tag("newer-servers")
	@ParameterizedTest
	@EnumSource
	void listenerIsToldWhenTheSubscriptionIsLost(DriverUnderTest driver) {
		RedisServer server = RedisServers.start();
		RedisConnectionFactory factory = driver.connect(server);
		Deaf listener = new Deaf();
		try (RedisWakeUpChannel channel = new RedisWakeUpChannel(RedisDrivers.of(factory), CHANNEL, listener)) {
			channel.subscribe();
			Awaitility.await().until(channel::isSubscribed);
			assertThat(listener.lost).hasValue(0);
			cutSubscription(server);
			Awaitility.await().until(() -> listener.lost.get() > 0 && channel.isSubscribed());
			server.ask("ACL", "SETUSER", "default", "-subscribe");
			int before = listener.lost.get();
			cutSubscription(server);
			Awaitility.await().until(() -> listener.lost.get() > before && !channel.isSubscribed());
		}
		finally {
			DriverUnderTest.close(factory);
			server.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void subscriptionWhenItIsAllowedAgainIsReported(DriverUnderTest driver, CapturedOutput output) {
		RedisServer server = RedisServers.start();
		RedisConnectionFactory factory = driver.connect(server);
		server.ask("ACL", "SETUSER", "default", "-subscribe");
		try (RedisWakeUpChannel channel = new RedisWakeUpChannel(RedisDrivers.of(factory), CHANNEL, new Deaf())) {
			channel.subscribe();
			Awaitility.await().until(() -> output.toString().contains("until it works"));
			server.ask("ACL", "SETUSER", "default", "+subscribe");
			Awaitility.await().until(channel::isSubscribed);
			Awaitility.await()
				.until(() -> output.toString()
					.contains("Subscribed to '%s' of %s:%d: waiters of distributed locks are woken now"
						.formatted(CHANNEL, server.host(), server.port())));
		}
		finally {
			DriverUnderTest.close(factory);
			server.close();
		}
	}

	/** A foreign one of the same client does not count. */
	@Test
	void listenerIsNotToldWhenAnotherSubscriptionIsLost() {
		RedisServer server = RedisServers.start();
		LettuceConnectionFactory factory = (LettuceConnectionFactory) DriverUnderTest.LETTUCE.connect(server);
		Deaf listener = new Deaf();
		try (RedisWakeUpChannel channel = new RedisWakeUpChannel(RedisDrivers.of(factory), CHANNEL, listener)) {
			channel.subscribe();
			Awaitility.await().until(channel::isSubscribed);
			StatefulRedisPubSubConnection<String, String> foreign = ((RedisClient) factory.getRequiredNativeClient())
				.connectPubSub();
			foreign.sync().subscribe("foreign");
			Long id = foreign.sync().clientId();
			server.ask("CLIENT", "KILL", "ID", id.toString());
			Awaitility.await().until(() -> !foreign.sync().clientId().equals(id));
			assertThat(listener.lost).hasValue(0);
			assertThat(channel.isSubscribed()).isTrue();
			foreign.close();
		}
		finally {
			DriverUnderTest.close(factory);
			server.close();
		}
	}

	private static void cutSubscription(RedisServer server) {
		assertThat((Long) server.ask("CLIENT", "KILL", "TYPE", "pubsub")).isPositive();
	}

	private static long subscribers() {
		try (RedisClient client = RedisClient
			.create(RedisURI.create(SharedRedis.SERVER.host(), SharedRedis.SERVER.port()))) {
			return client.connect().sync().pubsubNumsub(CHANNEL).get(CHANNEL);
		}
	}

	/** Connects late, and swallows interrupts while it does. */
	private static final class HangingFactory extends LettuceConnectionFactory {

		private final AtomicReference<Thread> caller = new AtomicReference<>();

		private final CompletableFuture<Void> answer = new CompletableFuture<>();

		HangingFactory() {
			super(SharedRedis.SERVER.host(), SharedRedis.SERVER.port());
			afterPropertiesSet();
			start();
		}

		@Override
		public AbstractRedisClient getNativeClient() {
			this.caller.compareAndSet(null, Thread.currentThread());
			this.answer.join();
			Thread.interrupted();
			return super.getNativeClient();
		}

	}

	/** Ignores wake-ups. */
	private static final class Deaf implements WakeUpListener {

		private final AtomicInteger lost = new AtomicInteger();

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUpAll() {
		}

		@Override
		public void wakeUpsLost() {
			this.lost.incrementAndGet();
		}

	}

}
