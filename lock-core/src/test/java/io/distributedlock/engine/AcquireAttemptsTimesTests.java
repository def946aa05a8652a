package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.line.KeyQueue;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The times of the attempts of a waiter, and the order of the wake-ups. */
class AcquireAttemptsTimesTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofHours(1));

	private static final Duration POLL = EngineSettings.DEFAULTS.pollInterval();

	private static final AcquireOutcome BUSY_FOR_LONG = new AcquireOutcome.Busy("0123456789abcdef", Duration.ofHours(1),
			0);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void waiterWithoutWakeUpAttemptsAgainAfterThePollInterval() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST);
		attempt.answer(BUSY_FOR_LONG);
		this.instance.advance(POLL.minusMillis(1));
		assertThat(waiting).isNotDone();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(waiting).isCompleted();
	}

	@Test
	void waiterAttemptsAgainWhenTheLeaseOfTheHolderEndsBeforeThePoll() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST);
		attempt.answer(new AcquireOutcome.Busy("0123456789abcdef", Duration.ofMillis(100), 0));
		this.instance.advance(Duration.ofMillis(99));
		assertThat(waiting).isNotDone();
		this.instance.advance(Duration.ofMillis(2));
		assertThat(waiting).isCompleted();
	}

	/** The lock became free after the store had looked and before its answer was read. */
	@Test
	void waiterWhenWokenBeforeTheBusyAnswerLooksAgainAtOnce() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST);
		this.store.wakeUp("k");
		attempt.answer(BUSY_FOR_LONG);
		this.instance.runDue();
		assertThat(waiting).isCompleted();
	}

	/** A message may have been lost with the subscription. */
	@Test
	void waiterWhenTheStoreIsBackLooksAtOnce() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST);
		attempt.answer(BUSY_FOR_LONG);
		this.store.wakeUpAll();
		assertThat(waiting).isCompleted();
	}

	/** The waiter entry of an instance lasts beyond its next attempt. */
	@Test
	void waiterWhenTheLockIsFreedJustBeforeItsPollIsWoken() {
		Lease held = this.instance.acquire(REQUEST.renew(false)).join();
		CompletableFuture<Lease> waiting = this.instance.another().acquire(REQUEST);
		this.instance.clock.advance(POLL.minusMillis(1));
		held.release();
		assertThat(waiting).isCompleted();
	}

	@Test
	void waiterIsWokenAfterTheEarlierWaiterGaveUp() {
		Lease held = this.instance.acquire(REQUEST).join();
		CompletableFuture<Lease> first = this.instance.another().acquire(REQUEST);
		CompletableFuture<Lease> second = this.instance.another().acquire(REQUEST);
		first.cancel(false);
		held.release();
		assertThat(second).isCompleted();
	}

	@Test
	void pausesWhenTheStoreIsAwayGrowToThePollInterval() {
		this.store.failAll(Command.ACQUIRE, LockStoreException.Kind.UNAVAILABLE);
		this.instance.acquire(REQUEST);
		assertThat(attempts(Duration.ofMillis(24))).isOne();
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(2);
		assertThat(attempts(Duration.ofMillis(49))).isEqualTo(2);
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(3);
		int before = attempts(Duration.ofSeconds(10));
		assertThat(attempts(POLL.multipliedBy(10))).isEqualTo(before + 10);
	}

	@Test
	void pauseWhenTheStoreHasAnsweredMeanwhileIsShortAgain() {
		this.store.failAll(Command.ACQUIRE, LockStoreException.Kind.UNAVAILABLE);
		this.instance.acquire(REQUEST);
		attempts(Duration.ofSeconds(10));
		Held attempt = this.store.hold(Command.ACQUIRE);
		attempts(POLL);
		attempt.answer(BUSY_FOR_LONG);
		int before = attempts(POLL);
		assertThat(attempts(Duration.ofMillis(25))).isEqualTo(before + 1);
	}

	private int attempts(Duration advance) {
		this.instance.advance(advance);
		return this.store.sent(Command.ACQUIRE);
	}

	@Test
	void requestsWhenOfManyKeysDoNotWaitForEachOther() {
		List<CompletableFuture<Lease>> all = IntStream.range(0, 1000)
			.mapToObj((i) -> this.instance.acquire(LockRequest.of("key " + i).waitFor(Duration.ofHours(1))))
			.toList();
		assertThat(all).allMatch(CompletableFuture::isDone);
		assertThat(this.instance.engine.queues.index.size()).isEqualTo(all.size());
	}

	@Test
	void setsWhenTheirKeysReadTheSameInARowAreDifferent() {
		List<LockKey> one = List.of(new LockKey("", "a:b"), new LockKey("", "c"));
		List<LockKey> other = List.of(new LockKey("", "a"), new LockKey("", "b:c"));
		assertThat(LockKeys.id(one)).isNotEqualTo(LockKeys.id(other));
	}

	/** A caller that looked a queue up before it was removed must look it up again. */
	@Test
	void queueWhenRemovedRefusesWaiters() {
		List<LockKey> keys = List.of(new LockKey("", "k"));
		LockTerms terms = LockTerms.of(LockProfiles.DEFAULTS, "", REQUEST.options());
		KeyQueue queue = new KeyQueue(this.instance.engine.queues.index, keys.get(0));
		queue.ended(queue.newGrant(null, terms), true, null);
		Waiter late = new Waiter(this.instance.engine.instance, keys, terms, null, 0, Waiter.FOREVER);
		assertThat(queue.enter(late)).isFalse();
	}

}
