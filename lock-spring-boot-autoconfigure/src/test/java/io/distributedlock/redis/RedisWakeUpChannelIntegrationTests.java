package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.store.WakeUpListener;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * {@link RedisWakeUpChannel} where the connection hangs.
 */
@Timeout(60)
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
		public RedisConnection getConnection() {
			this.caller.compareAndSet(null, Thread.currentThread());
			this.answer.join();
			Thread.interrupted();
			return super.getConnection();
		}

	}

	/** Ignores wake-ups. */
	private static final class Deaf implements WakeUpListener {

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUpAll() {
		}

	}

}
