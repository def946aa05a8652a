package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.Patience;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Extends that wait for an earlier one, and events that come before its answer. */
class ExtendQueueTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofSeconds(6);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(LONG);

	private static final LockRequest UNRENEWED = REQUEST.renew(false);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	/** They called each other, and those behind a stack overflow waited for ever. */
	@Test
	void extendsThatWaitWhenTheLeaseIsLostAllEnd() {
		Lease lease = acquire(UNRENEWED);
		this.store.silence(Command.EXTEND);
		List<CompletableFuture<Void>> all = many(lease);
		this.instance.advance(LONG);
		assertThat(all).allSatisfy((one) -> assertThat(one).isCompletedExceptionally());
	}

	@Test
	void extendsThatWaitWhenTheStoreAnswersAtOnceAreAllConfirmed() {
		Lease lease = acquire(REQUEST);
		Held first = this.store.hold(Command.EXTEND);
		List<CompletableFuture<Void>> all = many(lease);
		first.answer();
		assertThat(all).allSatisfy((one) -> assertThat(one).succeedsWithin(Patience.CEILING));
		lease.extend(SHORT);
		assertThat(lease.remaining()).isBetween(SHORT.dividedBy(2), SHORT);
	}

	/**
	 * It was refused only then: the lease was cut short, and the caller waited for ever.
	 */
	@Test
	void extendThatSuitsNoRenewalFailsAfterAnInnerHoldWantsOne() {
		Lease lease = acquire(UNRENEWED.ownedBy("owner"));
		Held first = this.store.hold(Command.EXTEND);
		extend(lease, SHORT);
		CompletableFuture<Void> brief = extend(lease, Duration.ofMillis(100));
		acquire(REQUEST.ownedBy("owner"));
		first.answer();
		assertThat(brief).isCompletedExceptionally();
		assertThat(lease.remaining()).isGreaterThan(SHORT.dividedBy(2));
	}

	/** The timer was set to the end of the old lease, after that of the new one. */
	@Test
	void extendAtAnyMomentOfAnAnswerEndsTheLeaseInTime() {
		int readings = 0;
		while (isLostInTimeWhenExtendedAt(readings + 1)) {
			readings++;
		}
		assertThat(readings).isGreaterThan(3);
	}

	/**
	 * Let another thread shorten the lease when the answer of the store makes this thread
	 * read the clock for the n-th time.
	 * @return false if it reads the clock fewer times
	 */
	private static boolean isLostInTimeWhenExtendedAt(int reading) {
		ManualInstance instance = new ManualInstance();
		Lease lease = instance.acquire(UNRENEWED).join();
		AtomicBoolean told = new AtomicBoolean();
		lease.onLost(() -> told.set(true));
		Held confirmation = instance.store.hold(Command.RENEW);
		instance.store.wakeUpAll();
		instance.runDue();
		assertThat(confirmation.isSent()).isTrue();
		AtomicReference<Thread> other = new AtomicReference<>();
		instance.clock.onReading(reading, () -> other.set(ManualInstance.startUntilStuck(() -> lease.extend(SHORT))));
		confirmation.answer();
		if (instance.clock.unhook()) {
			return false;
		}
		ManualInstance.join(other.get());
		assertThat(told).isFalse();
		instance.advance(SHORT);
		assertThat(told).as("reading %d", reading).isTrue();
		return true;
	}

	/** The next try was set for after the end of the new lease. */
	@Test
	void extendWhileATryIsPlannedEndsTheLeaseInTime() {
		Lease lease = acquire(UNRENEWED);
		AtomicBoolean told = new AtomicBoolean();
		lease.onLost(() -> told.set(true));
		Duration brief = Duration.ofSeconds(1);
		AtomicReference<Thread> other = new AtomicReference<>();
		this.instance.jitter = (nanos) -> {
			this.instance.jitter = LongUnaryOperator.identity();
			other.set(ManualInstance.startUntilStuck(() -> lease.extend(brief)));
			return nanos;
		};
		this.store.wakeUpAll();
		this.store.silence(Command.RENEW);
		this.instance.runDue();
		this.store.heal();
		ManualInstance.join(other.get());
		assertThat(told).isFalse();
		this.instance.advance(brief);
		assertThat(told).isTrue();
	}

	@Test
	void extendWhenTheStoreReturnsNullFails() {
		Lease lease = acquire(REQUEST);
		this.store.returnNull(Command.EXTEND);
		assertThat(ManualInstance.failure(extend(lease, SHORT))).hasMessageContaining("returned null");
		assertThat(lease.isHeld()).isTrue();
	}

	private static List<CompletableFuture<Void>> many(Lease lease) {
		return IntStream.range(0, 5000).mapToObj((i) -> extend(lease, SHORT)).toList();
	}

	/** The store may have the longer lease: the release is repeated for as long. */
	@Test
	void closeWhileAShorteningExtendIsSentFreesTheLockAfterAnOutage() {
		Lease lease = acquire(REQUEST);
		this.store.silence(Command.EXTEND);
		this.store.silence(Command.RELEASE);
		extend(lease, Duration.ofMillis(300));
		lease.release();
		this.instance.advance(Duration.ofSeconds(5));
		this.store.heal();
		this.instance.advance(Duration.ofSeconds(5));
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/** It was told as a loss, though the lock was confirmed a moment later. */
	@Test
	void extendWhenAClockJumpsBeforeItsAnswerIsConfirmedOnceMore() {
		Lease lease = acquire(REQUEST);
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, SHORT);
		this.instance.engine.instance.clock.distrust();
		held.answer();
		assertThat(extended).succeedsWithin(Patience.CEILING);
		assertThat(lease.isHeld()).isTrue();
	}

	private Lease acquire(LockRequest request) {
		return this.instance.acquire(request).join();
	}

	private static CompletableFuture<Void> extend(Lease lease, Duration ttl) {
		return lease.extendAsync(ttl, null).toCompletableFuture();
	}

}
