package io.distributedlock.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What every store promises to the engine. A subclass gives stores that share their
 * locks, as the instances of an application do.
 */
public abstract class LockStoreContractTests {

	static final Duration TTL = Duration.ofSeconds(20);

	static final Duration SHORT = Duration.ofMillis(150);

	/** Short, but long enough for some commands on a busy machine. */
	static final Duration LEASE = Duration.ofSeconds(1);

	static final Duration WAITING = Duration.ofSeconds(10);

	static final int PERMITS = 3;

	private static final AtomicLong SEQUENCE = new AtomicLong();

	private static final AtomicInteger KEY = new AtomicInteger();

	final LockKey key = new LockKey("contract", getClass().getSimpleName() + KEY.incrementAndGet());

	final Instance first = new Instance(0x1111_0000_0000_0000L);

	final Instance second = new Instance(0x2222_0000_0000_0000L);

	final Instance third = new Instance(0x3333_0000_0000_0000L);

	/**
	 * A new store.
	 * @return a store on the same locks as every other one made in this test
	 */
	protected abstract LockStore createStore();

	@BeforeEach
	void startStores() {
		this.first.start(createStore());
		this.second.start(createStore());
		this.third.start(createStore());
	}

	@AfterEach
	void closeStores() {
		this.first.store.close();
		this.second.store.close();
		this.third.store.close();
	}

	@Test
	void acquireWhenFreeIsGranted() {
		assertThat(this.first.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void acquireWhenHeldIsBusyWithHolderAndRemainingTime() {
		this.first.acquire(TTL);
		AcquireOutcome outcome = this.second.acquire(TTL);
		assertThat(outcome).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(this.first.name());
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(TTL);
		});
	}

	@Test
	void acquireWhenRepeatedKeepsTheToken() {
		RequestId request = this.first.request();
		AcquireOutcome outcome = this.first.acquire(request, TTL);
		assertThat(this.first.acquire(request, TTL)).isEqualTo(outcome);
	}

	@Test
	void acquireWhenRepeatedLengthensButNeverShortens() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORT);
		this.first.acquire(request, TTL);
		this.first.acquire(request, SHORT);
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void acquireWhenReleasedBeforeIsRefused() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.release(request);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenReleasedBeforeIsRefusedAlsoWhileAnotherHolds() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.release(request);
		this.second.acquire(TTL);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenAbandonedBeforeItArrivesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void acquireWhenAbandonedBeforeManyReleasesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		for (int i = 0; i < 50; i++) {
			RequestId other = this.second.request();
			this.second.acquire(other, TTL);
			this.second.release(other);
		}
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	/** An abandon that was tried again used to push the other requests out. */
	@Test
	void acquireWhenAbandonedBeforeAnotherIsManyTimesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		RequestId retried = this.second.request();
		for (int i = 0; i < 20; i++) {
			this.second.abandon(retried);
		}
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenExpiredBeforeIsRefused() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORT);
		awaitFree();
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenExpiredAndTakenByAnotherIsRefused() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORT);
		awaitFree();
		RequestId other = this.second.request();
		this.second.acquire(other, TTL);
		this.second.release(other);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void tokenGrowsFromHolderToHolder() {
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Instance instance = (i % 2 == 0) ? this.first : this.second;
			RequestId request = instance.request();
			tokens.add(token(instance.acquire(request, TTL)));
			instance.release(request);
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void tokenGrowsAfterExpiry() {
		long expired = token(this.first.acquire(SHORT));
		awaitFree();
		assertThat(token(this.second.acquire(TTL))).isGreaterThan(expired);
	}

	@Test
	void tokenIsLargerThanTheLargestThatTheClientHasSeen() {
		long seen = token(this.first.acquire(SHORT)) + 50_000_000;
		awaitFree();
		AcquireCommand command = new AcquireCommand(this.key, this.second.request(), TTL, Duration.ZERO, seen,
				Duration.ZERO);
		assertThat(token(this.second.store.acquire(command).join())).isGreaterThan(seen);
	}

	@Test
	void renewWhenOwnerExtends() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORT);
		assertThat(this.first.renew(request, TTL)).isTrue();
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void renewNeverShortens() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		assertThat(this.first.renew(request, SHORT)).isTrue();
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void renewWhenExpiredDoesNotResurrect() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORT);
		awaitFree();
		assertThat(this.first.renew(request, TTL)).isFalse();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void renewWhenAnotherHoldsLeavesItAlone() {
		RequestId mine = this.first.request();
		this.first.acquire(mine, TTL);
		assertThat(this.second.renew(this.second.request(), Duration.ofHours(1))).isFalse();
		assertThat(this.second.remaining()).isLessThanOrEqualTo(TTL);
		assertThat(this.first.renew(mine, TTL)).isTrue();
	}

	@Test
	void renewOfManyAnswersInOrder() {
		List<RenewCommand> commands = new ArrayList<>();
		List<Boolean> expected = new ArrayList<>();
		for (int i = 0; i < 450; i++) {
			LockKey many = new LockKey("contract-many", this.key.key() + "-" + i);
			RequestId request = this.first.request();
			if (i % 3 != 0) {
				this.first.store.acquire(new AcquireCommand(many, request, TTL, Duration.ZERO, 0, Duration.ZERO))
					.join();
			}
			commands.add(new RenewCommand(many, request, TTL));
			expected.add(i % 3 != 0);
		}
		assertThat(RenewAnswers.join(this.first.store.renew(commands))).isEqualTo(expected);
	}

	@Test
	void releaseWhenOwnerFrees() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		assertThat(this.first.release(request)).isTrue();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void releaseWhenRepeatedDoesNotTouchTheNextHolder() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.release(request);
		this.second.acquire(TTL);
		assertThat(this.first.release(request)).as("it was released, by itself").isTrue();
		assertThat(this.third.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void releaseWhenNothingWasEverLockedIsFalse() {
		assertThat(this.first.release(this.first.request())).isFalse();
	}

	@Test
	void releaseWhenExpiredIsFalse() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORT);
		awaitFree();
		assertThat(this.first.release(request)).isFalse();
	}

	@Test
	void abandonWhenOwnerFrees() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.abandon(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void abandonWhenAnotherHoldsLeavesItAlone() {
		this.first.acquire(TTL);
		this.second.abandon(this.second.request());
		assertThat(this.third.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void keepForOutlivesTheRelease() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORT, TTL);
		this.first.release(request);
		assertThat(this.second.acquire(TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEmpty();
			assertThat(busy.remaining()).isPositive();
		});
	}

	@Test
	void keepForOutlivesTheExpiry() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORT, TTL);
		await().until(() -> !this.first.renew(request, SHORT.minusMillis(SHORT.toMillis() - 1)));
		assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void keepForEnds() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORT, SHORT.multipliedBy(2));
		this.first.release(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
		awaitFree();
	}

	@Test
	void keepForEndsWithTheAcquisitionThatIsAbandoned() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORT, TTL);
		this.first.abandon(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void releaseWakesTheFirstWaiterOnly() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.second.acquireWaiting();
		this.third.acquireWaiting();
		this.second.settle();
		this.third.settle();
		this.first.release(request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.third.wakeUps).isEmpty();
	}

	@Test
	void releaseWakesTheNextWaiterAfterTheFirstGaveUp() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		RequestId gaveUp = this.second.acquireWaiting();
		this.third.acquireWaiting();
		this.second.settle();
		this.third.settle();
		this.second.abandon(gaveUp);
		this.first.release(request);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.second.wakeUps).isEmpty();
	}

	@Test
	void abandonOfTheHolderWakesAWaiter() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.second.acquireWaiting();
		this.second.settle();
		this.first.abandon(request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void locksOfDifferentKeysAreIndependent() {
		this.first.acquire(TTL);
		LockKey other = new LockKey("contract", this.key.key() + "x");
		AcquireCommand command = new AcquireCommand(other, this.second.request(), TTL, Duration.ZERO, 0, Duration.ZERO);
		assertThat(this.second.store.acquire(command).join()).isInstanceOf(Granted.class);
	}

	void awaitFree() {
		await().atMost(Duration.ofSeconds(10))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.third.remaining().isZero());
	}

	/** How a wake-up is written down that is meant for one request. */
	static String turn(String encodedKey, String request) {
		return encodedKey + " for " + request;
	}

	static long token(AcquireOutcome outcome) {
		return ((Granted) outcome).token();
	}

	/** One instance of an application. */
	final class Instance implements WakeUpListener {

		private final long bits;

		final BlockingQueue<String> wakeUps = new LinkedBlockingQueue<>();

		private final AtomicInteger wokenAll = new AtomicInteger();

		LockStore store;

		/** A wake-up that comes late must not reach the instance of another test. */
		Instance(long bits) {
			this.bits = bits + SEQUENCE.incrementAndGet();
		}

		void start(LockStore created) {
			this.store = created;
			created.start(name(), this);
		}

		String name() {
			return new RequestId(this.bits, 0).instance();
		}

		RequestId request() {
			return new RequestId(this.bits, SEQUENCE.incrementAndGet());
		}

		AcquireOutcome acquire(Duration ttl) {
			return acquire(request(), ttl);
		}

		AcquireOutcome acquire(RequestId request, Duration ttl) {
			return acquireKept(request, ttl, Duration.ZERO);
		}

		AcquireOutcome acquireKept(RequestId request, Duration ttl, Duration keepFor) {
			return acquire(
					new AcquireCommand(LockStoreContractTests.this.key, request, ttl, keepFor, 0, Duration.ZERO));
		}

		RequestId acquireWaiting() {
			RequestId request = request();
			assertThat(acquire(new AcquireCommand(LockStoreContractTests.this.key, request, TTL, Duration.ZERO, 0,
					Duration.ofSeconds(10))))
				.isInstanceOf(Busy.class);
			return request;
		}

		/** As some kind of lock; how many permits only a semaphore looks at. */
		AcquireOutcome acquire(LockMode mode, RequestId request, Duration ttl, Duration waiting) {
			return acquire(mode, List.of(LockStoreContractTests.this.key), request, ttl, waiting);
		}

		AcquireOutcome acquire(LockMode mode, List<LockKey> keys, RequestId request, Duration ttl, Duration waiting) {
			return acquire(new AcquireCommand(keys, request, mode, (mode == LockMode.SEMAPHORE) ? PERMITS : 0, null,
					ttl, Duration.ZERO, 0, waiting));
		}

		AcquireOutcome acquire(LockMode mode) {
			return acquire(mode, request(), TTL, Duration.ZERO);
		}

		/** Take it, or fail. */
		RequestId take(LockMode mode) {
			return take(mode, TTL);
		}

		RequestId take(LockMode mode, Duration ttl) {
			RequestId request = request();
			assertThat(acquire(mode, request, ttl, Duration.ZERO)).isInstanceOf(Granted.class);
			return request;
		}

		/** Ask for it in vain and leave the word that somebody waits. */
		RequestId waitFor(LockMode mode) {
			return waitFor(mode, WAITING);
		}

		RequestId waitFor(LockMode mode, Duration waiting) {
			RequestId request = request();
			waitAgain(mode, request, waiting);
			settle();
			return request;
		}

		void waitAgain(LockMode mode, RequestId request, Duration waiting) {
			assertThat(acquire(mode, request, TTL, waiting)).isInstanceOf(Busy.class);
		}

		/** Ask again, now not in vain. */
		void come(LockMode mode, RequestId request) {
			assertThat(acquire(mode, request, TTL, WAITING)).isInstanceOf(Granted.class);
		}

		AcquireOutcome acquire(AcquireCommand command) {
			CompletableFuture<AcquireOutcome> outcome = this.store.acquire(command);
			return outcome.join();
		}

		boolean renew(RequestId request, Duration ttl) {
			return this.store.renew(List.of(new RenewCommand(LockStoreContractTests.this.key, request, ttl)))
				.get(0)
				.join();
		}

		boolean release(RequestId request) {
			return this.store.release(LockStoreContractTests.this.key, request).join();
		}

		void abandon(RequestId request) {
			this.store.abandon(LockStoreContractTests.this.key, request).join();
		}

		/** How long the lock is still busy, asked without leaving a trace. */
		Duration remaining() {
			RequestId probe = request();
			AcquireOutcome outcome = acquire(probe, TTL);
			if (outcome instanceof Busy busy) {
				return busy.remaining();
			}
			abandon(probe);
			return Duration.ZERO;
		}

		/** Wait until this store listens, if it has to be told by somebody else. */
		void settle() {
			awaitListening(this.store, this.wokenAll);
		}

		String awaitWakeUp() {
			try {
				return this.wakeUps.poll(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void wakeUp(String encodedKey) {
			this.wakeUps.add(encodedKey);
		}

		@Override
		public void wakeUp(String encodedKey, String request) {
			this.wakeUps.add(turn(encodedKey, request));
		}

		@Override
		public void wakeUpAll() {
			this.wokenAll.incrementAndGet();
		}

	}

	/**
	 * Check the token of a reader, which is the last one. A store that asks several nodes
	 * may give a later one instead, which nobody else had.
	 * @param last the last token
	 * @param outcome what the reader got
	 */
	protected void assertReaderHas(long last, AcquireOutcome outcome) {
		assertThat(outcome).isEqualTo(new Granted(last));
	}

	/**
	 * Wait until a store is able to receive wake-ups. By then it has told its listener to
	 * wake everybody, if it had to subscribe.
	 * @param store the store
	 * @param wokenAll how often everybody was woken
	 */
	protected void awaitListening(LockStore store, AtomicInteger wokenAll) {
		await().atMost(Duration.ofSeconds(10)).until(() -> wokenAll.get() > 0);
	}

}
