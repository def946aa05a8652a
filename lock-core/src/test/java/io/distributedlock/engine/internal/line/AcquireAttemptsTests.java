package io.distributedlock.engine.internal.line;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.ManualInstance;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AcquireAttemptsTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofDays(1));

	private final ManualInstance here = new ManualInstance();

	/** The attempt that was given up while it was sent did not count as the first one. */
	@Test
	void requestWhoseFirstAttemptWasGivenUpServesNoEarlierCaller() {
		KeyQueue queue = KeyQueue.of(((GrantLease) this.here.acquire(REQUEST).join()).hold.grant);
		Waiter head = this.here.enter(REQUEST);
		AcquireAttempts attempts = new AcquireAttempts(queue.newGrant(null, head.terms), null);
		attempts.begun(attempt(attempts, head, 10));
		attempts.forget(new AfterUnlock());
		Attempt second = attempts.begun(attempt(attempts, head, 30));
		attempts.awaiting(second, new CompletableFuture<>());
		assertThat(attempts.serves(waiter(queue, head, 20))).isFalse();
		assertThat(attempts.serves(waiter(queue, head, 10))).isTrue();
	}

	private static Attempt attempt(AcquireAttempts attempts, Waiter head, long sentAt) {
		Attempt attempt = new Attempt(attempts.grant(), head, !attempts.isAttempted(), Duration.ZERO, 0);
		attempt.sentAt = sentAt;
		return attempt;
	}

	private static Waiter waiter(KeyQueue queue, Waiter like, long startedAt) {
		return new Waiter(queue.index.instance, like.keys, like.terms, null, startedAt, Waiter.FOREVER);
	}

}
