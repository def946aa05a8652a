package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisTarget;
import io.distributedlock.redis.internal.driver.WakeUpSubscription;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * {@link RedisWakeUpChannel} with a driver that is made up. Alone, since other tests look
 * for its log messages.
 */
class RedisWakeUpChannelTests {

	private final RedisDriver driver = mock(RedisDriver.class);

	private final AtomicInteger attempts = new AtomicInteger();

	private volatile boolean fails;

	private volatile Subscription last;

	private final RedisWakeUpChannel channel = new RedisWakeUpChannel(this.driver, "lock:!wake:1",
			mock(WakeUpListener.class));

	@BeforeEach
	void subscribe() {
		given(this.driver.target()).willReturn(RedisTarget.UNKNOWN);
		given(this.driver.subscription(any())).willAnswer((call) -> {
			this.attempts.incrementAndGet();
			if (this.fails) {
				throw new RedisConnectionFailureException("refused");
			}
			return new Subscription(call.getArgument(0));
		});
		this.channel.subscribe();
		await().until(() -> this.last != null);
	}

	@AfterEach
	void close() {
		this.channel.close();
	}

	@Test
	void subscriptionThatIsConfirmedIsKnown() {
		this.last.confirm();
		await().until(this.channel::isSubscribed);
	}

	/** A claim was then left to a waiter that nothing woke, until the next attempt. */
	@Test
	void subscriptionThatIsConfirmedWhileItIsStoppedIsNotTakenForGood() {
		Subscription first = this.last;
		first.confirm();
		await().until(this.channel::isSubscribed);
		this.fails = true;
		this.channel.ended(first, new RedisConnectionFailureException("lost"));
		await().until(() -> this.attempts.get() > 1);
		assertThat(this.channel.isSubscribed()).isFalse();
	}

	/** A restart of the connection factory may end a subscription without a word. */
	@Test
	void subscriptionWhenItsFactoryWasRestartedIsReplaced() {
		Subscription first = this.last;
		first.confirm();
		await().until(this.channel::isSubscribed);
		this.channel.resubscribe();
		await().atMost(Duration.ofSeconds(20)).until(() -> this.last != first);
	}

	/** Each restart of the connection factory began a chain of attempts of its own. */
	@Test
	void attemptsAfterManyRestartsAreOneAfterTheOther() {
		this.fails = true;
		for (int i = 1; i <= 20; i++) {
			int before = this.attempts.get();
			this.channel.resubscribe();
			await().until(() -> this.attempts.get() > before);
		}
		int before = this.attempts.get();
		await().atMost(Duration.ofSeconds(20))
			.during(Duration.ofSeconds(3))
			.until(() -> this.attempts.get() < before + 8);
	}

	/** Is confirmed once more while it is stopped. */
	private final class Subscription implements WakeUpSubscription {

		private final Listener listener;

		Subscription(Listener listener) {
			this.listener = listener;
		}

		@Override
		public void start() {
			RedisWakeUpChannelTests.this.last = this;
		}

		void confirm() {
			this.listener.onChannelSubscribed(new byte[0], 1);
		}

		@Override
		public void stop() {
			confirm();
		}

	}

}
