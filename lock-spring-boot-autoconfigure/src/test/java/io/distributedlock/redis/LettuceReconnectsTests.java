package io.distributedlock.redis;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.lettuce.core.resource.ClientResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/** Applications have several clients with the same resources, and one event bus. */
class LettuceReconnectsTests {

	private final ObservedBus bus = new ObservedBus();

	private final ClientResources resources = ClientResources.builder().eventBus(this.bus).build();

	private final LettuceConnectionFactory factory = new LettuceConnectionFactory(
			new RedisStandaloneConfiguration("locks.invalid", 6379),
			LettuceClientConfiguration.builder().clientResources(this.resources).build());

	@AfterEach
	void shutdown() {
		this.factory.destroy();
		this.resources.shutdown(0, 1, TimeUnit.SECONDS);
	}

	@ParameterizedTest
	@CsvSource({ "false, cache.invalid, 6379", "true, cache.invalid, 6379", "true, locks.invalid, 637" })
	void messageDoesNotNameAnotherRedisOfTheApplication(boolean shared, String host, int port) {
		try (RedisLockStore store = start(shared)) {
			this.bus.publish(failed(host, port));
			assertThat(store.place(new LockKey("", "k"))).isEqualTo("Redis at locks.invalid:6379");
		}
	}

	@Test
	void messageNamesTheServerOfASharedConnection() {
		try (RedisLockStore store = start(true)) {
			this.bus.publish(failed("locks.invalid", 6379));
			assertThat(store.place(new LockKey("", "k")))
				.isEqualTo("Redis at locks.invalid:6379 (no connection to locks.invalid:6379: no route)");
		}
	}

	/** Without wake-ups, another identity made the store begin from scratch. */
	@Test
	void storeThatTakesAnotherIdentityGoesOnAsItWas() {
		try (RedisLockStore store = store(
				new RedisStoreSettings("lock:", Duration.ofHours(1), Duration.ofSeconds(1), false)
					.withSharedConnection())) {
			WakeUpListener registry = mock(WakeUpListener.class);
			store.start("instance", registry);
			this.bus.publish(failed("locks.invalid", 6379));
			store.start("another", registry);
			assertThat(store.place(new LockKey("", "k"))).endsWith("(no connection to locks.invalid:6379: no route)");
		}
	}

	/**
	 * The client is new when its factory was restarted, and the store subscribes again.
	 */
	@Test
	void storeThatIsClosedWhileItSubscribesLeavesNothingOnTheBus() {
		RedisLockStore store = store(true);
		this.bus.onSubscription = store::close;
		store.start("instance", mock(WakeUpListener.class));
		assertThat(this.bus.subscriptions).hasValue(0);
	}

	private static Event failed(String host, int port) {
		InetSocketAddress server = InetSocketAddress.createUnresolved(host, port);
		return new ReconnectFailedEvent("redis://" + host, "1", server, server, new ConnectException("no route"), 1);
	}

	private RedisLockStore store(boolean shared) {
		RedisStoreSettings settings = RedisStoreSettings.DEFAULTS;
		return store(shared ? settings.withSharedConnection() : settings);
	}

	private RedisLockStore store(RedisStoreSettings settings) {
		this.factory.afterPropertiesSet();
		this.factory.start();
		return new RedisLockStore(this.factory, settings);
	}

	private RedisLockStore start(boolean shared) {
		RedisLockStore store = store(shared);
		store.start("instance", mock(WakeUpListener.class));
		return store;
	}

	/** A bus that counts who listens, and tells them at once. */
	private static final class ObservedBus implements EventBus {

		private final Sinks.Many<Event> events = Sinks.many().multicast().directBestEffort();

		private final AtomicInteger subscriptions = new AtomicInteger();

		private volatile Runnable onSubscription = () -> {
		};

		@Override
		public Flux<Event> get() {
			return this.events.asFlux().doOnSubscribe((subscription) -> {
				this.subscriptions.incrementAndGet();
				this.onSubscription.run();
			}).doOnCancel(this.subscriptions::decrementAndGet);
		}

		@Override
		public void publish(Event event) {
			this.events.tryEmitNext(event);
		}

	}

}
