package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class TransactionalLeaseScopeTests {

	/** Attempts again if the lease has expired by the time of its answer. */
	private static final LockRequest BRIEF = LockRequest.of("k")
		.ttl(Duration.ofMillis(50))
		.renew(false)
		.waitFor(Duration.ofSeconds(20));

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(new MemoryLocks()));

	private final AtomicReference<LeaseScope> scope = new AtomicReference<>();

	private final AtomicReference<LockTransactions.Participant> participant = new AtomicReference<>();

	private final AtomicBoolean bodyEnded = new AtomicBoolean();

	@AfterEach
	void close() {
		this.registry.close();
	}

	/** The thread that closes the lost lease is not the thread that checks it. */
	@Test
	void lossWhenTheBodyEndsDuringTheLookBeforeTheCommitIsTold() {
		Lease lease = this.registry.acquire(BRIEF);
		this.scope.set(TransactionalLeaseScope.open(lease, this::endBodyOnce, new OneTransaction()));
		Awaitility.await().until(() -> !lease.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.participant.get().beforeCommit());
	}

	/** The next holder had the lock before the commit, and missed what it wrote. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lostLeaseWhenTheBodyEndsDuringTheCommitEndsAfterIt(boolean together) {
		Lease lease = this.registry.acquire(BRIEF.ttl(Duration.ofSeconds(3)));
		LeaseScope scope = TransactionalLeaseScope.open(lease, () -> false, new OneTransaction());
		if (together) {
			LockTransactions.beforeCommit(List.of(this.participant.get()));
		}
		else {
			this.participant.get().beforeCommit();
		}
		Awaitility.await().until(() -> !lease.isHeld());
		CompletionStage<Void> ended = scope.endAsync();
		assertThatExceptionOfType(LockLostException.class).as("not closed yet").isThrownBy(lease::checkHeld);
		assertThat(ended.toCompletableFuture()).isCompletedExceptionally();
		this.participant.get().afterCompletion(false);
		assertThatIllegalStateException().as("closed").isThrownBy(lease::checkHeld);
	}

	private boolean endBodyOnce() {
		if (this.bodyEnded.compareAndSet(false, true)) {
			this.scope.get().endAsync();
		}
		return false;
	}

	private final class OneTransaction implements LockTransactions {

		@Override
		public boolean isOpen() {
			return true;
		}

		@Override
		public void join(Participant participant) {
			TransactionalLeaseScopeTests.this.participant.set(participant);
		}

	}

}
