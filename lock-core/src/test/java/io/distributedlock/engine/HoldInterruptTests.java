package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.store.Ownership;
import io.distributedlock.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A loss does not interrupt a thread that has not received the lease yet.
 */
class HoldInterruptTests {

	private final ManualInstance here = new ManualInstance();

	private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

	/** The thread got an interrupt instead of the loss. */
	@Test
	void threadThatWaitsForALongerLeaseIsToldThatTheLockIsLost() {
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		ScriptedStore.Held renewal = this.here.store.hold(Command.RENEW);
		ManualInstance.startUntilStuck(() -> {
			this.here.acquire(LockRequest.of("k").ownedByCurrentThread()).join();
			outcome.complete(failure(interruptible(Duration.ofSeconds(90))));
			this.interrupted.complete(Thread.currentThread().isInterrupted());
		});
		renewal.answer(List.of(Ownership.LOST));
		assertThat(outcome).succeedsWithin(Patience.CEILING).isInstanceOf(LockLostException.class);
		assertThat(this.interrupted).succeedsWithin(Patience.CEILING).isEqualTo(false);
	}

	/** The lease was lost and closed before a thread came to deliver it. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void threadWhoseRequestWasCancelledIsNotInterrupted(boolean told) {
		this.here.holdCallbacks();
		CompletableFuture<Lease> undelivered = this.here.acquire(
				LockRequest.of("k").waitFor(Duration.ofSeconds(9)).ownedByCurrentThread().whenLost(WhenLost.INTERRUPT));
		this.here.engine.loseAll(LossReason.SHUTDOWN);
		if (told) {
			this.here.runDue();
		}
		undelivered.cancel(true);
		this.here.runCallbacks();
		assertThat(Thread.interrupted()).isFalse();
	}

	/** It was interrupted later, for a lock that it never had. */
	@Test
	void threadThatHasGivenUpIsNotInterrupted() throws Exception {
		CountDownLatch givenUp = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		Thread waiting = ManualInstance.startUntilStuck(() -> {
			failure(interruptible(Duration.ofSeconds(5)));
			givenUp.countDown();
			this.interrupted.complete(failureOf(over) instanceof InterruptedException);
		});
		this.here.clock.onReading(3, () -> {
			this.here.clock.advance(Duration.ofSeconds(6));
			waiting.interrupt();
			failureOf(givenUp);
		});
		attempt.awaitSent().answer();
		this.here.advance(Duration.ofSeconds(1));
		over.countDown();
		assertThat(this.interrupted).succeedsWithin(Patience.CEILING).isEqualTo(false);
	}

	private static LockRequest interruptible(Duration ttl) {
		return LockRequest.of("k").ownedByCurrentThread().ttl(ttl).whenLost(WhenLost.INTERRUPT);
	}

	private Throwable failure(LockRequest request) {
		try {
			this.here.acquireBlocking(request);
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private static InterruptedException failureOf(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
			return null;
		}
		catch (InterruptedException ex) {
			return ex;
		}
	}

}
