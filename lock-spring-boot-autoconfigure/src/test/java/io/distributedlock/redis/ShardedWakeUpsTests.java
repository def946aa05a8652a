package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.distributedlock.redis.driver.ShardChannels;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@link ShardedWakeUps} with a cluster that does what a test says.
 */
@Timeout(30)
class ShardedWakeUpsTests {

	private static final LockKey ONE = new LockKey("", "one");

	private static final LockKey TWO = new LockKey("", "two");

	private static final Duration WAITING = Duration.ofSeconds(20);

	/** How often it looks where the slots are. */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private static final String CHANNEL = "lock:!wake:{26349}:me";

	private static final int SLOT = 12_739;

	private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

	private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

	private final CompletableFuture<Void> refreshed = new CompletableFuture<>();

	private final CompletableFuture<Throwable> refusal = new CompletableFuture<>();

	private volatile String place = "a";

	/** Whether the driver refuses everything. */
	private volatile boolean stopped;

	private ShardChannels.Listener cluster;

	/** What time it is, which passes when a test says so. */
	private final AtomicLong nanos = new AtomicLong();

	private final BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();

	private final ShardedWakeUps wakeUps = new ShardedWakeUps(Cluster::new, "lock:", "me", new Waiters(),
			this.refusal::complete, this.nanos::get, (delay) -> this.later::add);

	@AfterEach
	void close() {
		this.wakeUps.close();
	}

	@Test
	void waiterLooksAgainWhenItListens() throws InterruptedException {
		assertThat(this.wakeUps.subscription(SLOT)).isZero();
		this.wakeUps.waits(SLOT, List.of(ONE), WAITING, 0);
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at a");
		this.wakeUps.waits(SLOT, List.of(TWO), WAITING, 0);
		assertThat(this.told).isEmpty();
		this.cluster.subscribed(CHANNEL, "a");
		assertThat(List.of(next(this.told), next(this.told))).containsExactlyInAnyOrder("look :one", "look :two");
		long before = this.wakeUps.subscription(SLOT);
		assertThat(before).isPositive();
		this.wakeUps.waits(SLOT, List.of(ONE), WAITING, before);
		this.cluster.message(":one");
		assertThat(next(this.told)).isEqualTo("wake :one");
		this.cluster.message(":two\nrequest");
		assertThat(next(this.told)).isEqualTo("wake :two for request");
	}

	/** Its word was in the store before there was a subscription. */
	@Test
	void waiterWhoseAnswerComesAfterTheSubscriptionLooksAgain() throws InterruptedException {
		long before = listen();
		this.wakeUps.waits(SLOT, List.of(TWO), WAITING, 0);
		assertThat(next(this.told)).isEqualTo("look :two");
		this.wakeUps.waits(SLOT, List.of(TWO), WAITING, before);
		this.cluster.message("");
		assertThat(this.told).isEmpty();
	}

	@Test
	void subscriptionThatTheServerEndsIsMadeAgainWhereTheSlotIs() throws InterruptedException {
		long before = listen();
		this.cluster.ended(CHANNEL, "a");
		assertThat(next(this.sent)).isEqualTo("refresh");
		await().until(() -> this.wakeUps.subscription(SLOT) == 0);
		this.place = "b";
		this.refreshed.complete(null);
		assertThat(next(this.sent)).isEqualTo("unsubscribe " + CHANNEL + " at a");
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at b");
		this.cluster.subscribed(CHANNEL, "b");
		assertThat(next(this.told)).isEqualTo("look :one");
		this.cluster.ended(CHANNEL, "a");
		assertThat(next(this.sent)).as("its connection may end").isEqualTo("unsubscribe " + CHANNEL + " at a");
		awaitDone();
		assertThat(this.wakeUps.subscription(SLOT)).isGreaterThan(before);
	}

	@Test
	void waiterLooksAgainWhenItListensByAnotherIdentity() throws InterruptedException {
		listen();
		this.wakeUps.listenAs("you");
		assertThat(next(this.sent)).isEqualTo("unsubscribe " + CHANNEL + " at a");
		String channel = CHANNEL.replace(":me", ":you");
		assertThat(next(this.sent)).isEqualTo("subscribe " + channel + " at a");
		this.cluster.subscribed(channel, "a");
		assertThat(next(this.told)).isEqualTo("look :one");
	}

	/** It left its word, and then listened by the identity that it no longer had. */
	@Test
	void waiterWhoseIdentityChangesWhileItBeginsToListenDoesSoByTheNewOne() throws InterruptedException {
		List<LockKey> keys = new ArrayList<>(List.of(ONE)) {
			@Override
			public void forEach(Consumer<? super LockKey> action) {
				super.forEach(action);
				ShardedWakeUpsTests.this.wakeUps.listenAs("you");
				ShardedWakeUpsTests.this.cluster.subscribed("another", "a");
				await().until(() -> ShardedWakeUpsTests.this.sent.contains("unsubscribe another at a"));
			}
		};
		this.wakeUps.waits(SLOT, keys, WAITING, 0);
		assertThat(next(this.sent)).isEqualTo("unsubscribe another at a");
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL.replace(":me", ":you") + " at a");
	}

	/** It used to be asked for at its old place for ever. */
	@Test
	void slotIsLookedForAgainAfterTheDriverHasRefusedToLook() throws InterruptedException {
		listen();
		this.stopped = true;
		this.cluster.cut("a");
		assertThat(next(this.sent)).isEqualTo("refresh");
		// The cut, and then what comes of the refusal.
		awaitDone();
		awaitDone();
		assertThat(this.wakeUps.subscription(SLOT)).isZero();
		this.stopped = false;
		this.cluster.ended(CHANNEL, "a");
		assertThat(next(this.sent)).isEqualTo("refresh");
	}

	/** The answer was read after the connection had been given up. */
	@Test
	void subscriptionThatIsConfirmedOnAConnectionThatEndsIsMadeAgain() throws InterruptedException {
		listen();
		this.cluster.cut("a");
		this.cluster.subscribed(CHANNEL, "a");
		this.cluster.cut("a");
		await().until(() -> {
			pass(PAUSE);
			return next(this.sent).startsWith("subscribe");
		});
		await().until(() -> this.wakeUps.subscription(SLOT) == 0);
	}

	@Test
	void subscriptionsOfANodeThatIsCutAreMadeAgain() throws InterruptedException {
		listen();
		this.cluster.cut("b");
		this.cluster.cut("a");
		assertThat(next(this.sent)).isEqualTo("refresh");
		pass(PAUSE);
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at a");
	}

	/** A node that is frozen says nothing, but others know that it was replaced. */
	@Test
	void subscriptionFollowsItsSlot() throws InterruptedException {
		listen();
		this.place = "b";
		pass(PAUSE);
		assertThat(next(this.sent)).isEqualTo("unsubscribe " + CHANNEL + " at a");
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at b");
	}

	@Test
	void subscriptionIsMadeAgainWithTheConnectionsOfTheDriver() throws InterruptedException {
		listen();
		this.wakeUps.resubscribe();
		assertThat(next(this.sent)).isEqualTo("unsubscribe " + CHANNEL + " at a");
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at a");
	}

	@Test
	void subscriptionThatIsNotAnsweredIsAskedForAgain() throws InterruptedException {
		this.wakeUps.waits(SLOT, List.of(ONE), WAITING, 0);
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at a");
		pass(PAUSE);
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at a");
	}

	@Test
	void subscriptionThatNobodyNeedsAnyMoreEnds() throws InterruptedException {
		this.wakeUps.waits(SLOT, List.of(ONE), Duration.ofMillis(1), 0);
		assertThat(next(this.sent)).startsWith("subscribe");
		this.cluster.subscribed(CHANNEL, "a");
		assertThat(next(this.told)).isEqualTo("look :one");
		pass(PAUSE);
		awaitDone();
		pass(Duration.ofSeconds(2));
		assertThat(next(this.sent)).isEqualTo("unsubscribe " + CHANNEL + " at a");
		this.cluster.subscribed(CHANNEL, "a");
		assertThat(next(this.sent)).as("it came too late").isEqualTo("unsubscribe " + CHANNEL + " at a");
		assertThat(this.wakeUps.subscription(SLOT)).isZero();
	}

	@Test
	void refusalIsToldOnceAndEndsAll() throws InterruptedException {
		listen();
		IllegalStateException failure = new IllegalStateException("NOPERM");
		this.cluster.refused(failure);
		this.cluster.refused(new IllegalStateException("again"));
		assertThat(this.refusal.orTimeout(10, TimeUnit.SECONDS).join()).isSameAs(failure);
		assertThat(next(this.sent)).isEqualTo("close");
		assertThat(this.wakeUps.isOffered()).isFalse();
		assertThat(this.wakeUps.subscription(SLOT)).isZero();
		this.wakeUps.close();
		assertThat(this.sent).as("by the close and not by the second refusal").containsExactly("close");
	}

	/** Let time pass, and what comes due then be done. */
	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
		List<Runnable> due = new ArrayList<>();
		this.later.drainTo(due);
		due.forEach(Runnable::run);
	}

	private long listen() throws InterruptedException {
		this.wakeUps.waits(SLOT, List.of(ONE), WAITING, 0);
		assertThat(next(this.sent)).isEqualTo("subscribe " + CHANNEL + " at a");
		this.cluster.subscribed(CHANNEL, "a");
		assertThat(next(this.told)).isEqualTo("look :one");
		awaitDone();
		return this.wakeUps.subscription(SLOT);
	}

	/** What came before has been seen to. */
	private void awaitDone() throws InterruptedException {
		this.cluster.subscribed("another", "a");
		assertThat(next(this.sent)).isEqualTo("unsubscribe another at a");
	}

	private static String next(BlockingQueue<String> queue) throws InterruptedException {
		return queue.poll(10, TimeUnit.SECONDS);
	}

	/** Writes down what it is asked. */
	private final class Cluster implements ShardChannels {

		Cluster(Listener listener) {
			ShardedWakeUpsTests.this.cluster = listener;
		}

		@Override
		public String placeOf(int slot) {
			return ShardedWakeUpsTests.this.place;
		}

		@Override
		public void subscribe(String channel, String place) {
			ShardedWakeUpsTests.this.sent.add("subscribe " + channel + " at " + place);
		}

		@Override
		public void unsubscribe(String channel, String place) {
			ShardedWakeUpsTests.this.sent.add("unsubscribe " + channel + " at " + place);
		}

		@Override
		public CompletionStage<?> refresh() {
			boolean refused = ShardedWakeUpsTests.this.stopped;
			ShardedWakeUpsTests.this.sent.add("refresh");
			if (refused) {
				throw new IllegalStateException("stopped");
			}
			return ShardedWakeUpsTests.this.refreshed;
		}

		@Override
		public void close() {
			ShardedWakeUpsTests.this.sent.add("close");
		}

	}

	/** Write down what they are told. */
	private final class Waiters implements WakeUpListener {

		@Override
		public void wakeUp(String encodedKey) {
			ShardedWakeUpsTests.this.told.add("wake " + encodedKey);
		}

		@Override
		public void wakeUp(String encodedKey, String request) {
			ShardedWakeUpsTests.this.told.add("wake " + encodedKey + " for " + request);
		}

		@Override
		public void lookAgain(String encodedKey) {
			ShardedWakeUpsTests.this.told.add("look " + encodedKey);
		}

		@Override
		public void wakeUpAll() {
			ShardedWakeUpsTests.this.told.add("all");
		}

	}

}
