package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ConcurrentCallsTests {

	private static final int CALLERS = 100;

	private final AtomicInteger number = new AtomicInteger();

	private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

	@Test
	void callersAreThereAtOnce() {
		CyclicBarrier all = new CyclicBarrier(CALLERS);
		ConcurrentCalls<Integer> calls = ConcurrentCalls.call(CALLERS, all::await);
		assertThat(calls.failures()).isEmpty();
		assertThat(calls.results()).hasSize(CALLERS).doesNotHaveDuplicates();
	}

	@Test
	void outcomeHasResultsAndFailuresOfAllKinds() {
		ConcurrentCalls<Integer> calls = ConcurrentCalls.call(3, () -> switch (this.number.incrementAndGet()) {
			case 1 -> 1;
			case 2 -> throw new Exception("checked");
			default -> throw new AssertionError("an error");
		});
		assertThat(calls.results()).containsExactly(1);
		assertThat(calls.failures()).extracting(Throwable::getMessage).containsExactlyInAnyOrder("checked", "an error");
		assertThat(calls).hasToString("1 results, failures: " + calls.failures());
	}

	@Test
	void actionWhenItReturnsHasANullForAResult() {
		ConcurrentCalls<Void> calls = ConcurrentCalls.run(2, this.number::incrementAndGet);
		assertThat(calls.results()).containsExactly(null, null);
		assertThat(this.number).hasValue(2);
	}

	@Test
	void callerHasNoThreadLocalOfTheTest() {
		InheritableThreadLocal<String> ofTheTest = new InheritableThreadLocal<>();
		ofTheTest.set("transaction");
		assertThat(ConcurrentCalls.call(1, ofTheTest::get).results()).containsExactly((String) null);
	}

	@Test
	void callersWhenNoneEndsFailTheTestWithAStackAndAreInterrupted() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> ConcurrentCalls.call(2, this::untilInterrupted, Duration.ofSeconds(2)))
			.withMessage("2 concurrent calls run, and none has ended for 2000 ms")
			.havingCause()
			.withMessage("The stack of concurrent-call-1")
			.withStackTraceContaining("untilInterrupted");
		assertThat(this.interrupted).succeedsWithin(Patience.CEILING);
	}

	@Test
	void callersWhenTheTestIsInterruptedAreToo() {
		Thread test = Thread.currentThread();
		assertThatIllegalStateException().isThrownBy(() -> ConcurrentCalls.call(1, () -> {
			test.interrupt();
			return untilInterrupted();
		}));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.interrupted).succeedsWithin(Patience.CEILING);
	}

	/** The others waited for it for ever. */
	@Test
	void callersWhenOneCannotStartEndAndTheFailureIsThrown() {
		List<Thread> threads = new ArrayList<>();
		OutOfMemoryError full = new OutOfMemoryError("unable to create native thread");
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> ConcurrentCalls.call(3, this.number::incrementAndGet, Patience.CEILING, (thread) -> {
				threads.add(thread);
				if (threads.size() == 3) {
					throw full;
				}
				thread.start();
			}))
			.isSameAs(full);
		assertThat(threads).hasSize(3);
		Patience.await().until(() -> threads.stream().noneMatch(Thread::isAlive));
		assertThat(this.number).hasValue(0);
	}

	private boolean untilInterrupted() {
		try {
			return new CountDownLatch(1).await(Patience.CEILING.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			return this.interrupted.complete(true);
		}
	}

	@Test
	void callersWhenThereAreNoneAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> ConcurrentCalls.run(0, this.number::incrementAndGet))
			.withMessageContaining("at least 1 but is 0");
	}

}
