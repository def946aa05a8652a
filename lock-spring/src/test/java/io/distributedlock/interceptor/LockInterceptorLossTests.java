package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockInterceptorLossTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		return this.context.start(Guarded.class).bean(Guarded.class);
	}

	/** The body would block for ever. */
	@Test
	void interruptWhenBodyBlocksReachesItOnceTheLeaseIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> guarded().blocked())
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).isTrue());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptWhenBodyThrowsLeavesItsExceptionAndNoFlag() {
		assertThatIllegalStateException().isThrownBy(() -> guarded().spinning())
			.withMessage("interrupted")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptWhenStageIsPendingSparesThePooledThread() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = guarded().later(pending);
		Lease lease = this.context.bean(Guarded.class).lease();
		Awaitility.await().until(() -> !lease.isHeld());
		pending.complete("done");
		assertThatLossIsTold(result);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void throwWhenBodyGoesOnDoesNotInterruptIt() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> guarded().goesOn())
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).isTrue());
		assertThat(this.context.bean(Guarded.class).interrupted()).isFalse();
	}

	@Test
	void throwWhenStageFailsLeavesItsException() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = guarded().laterAndThrow(pending);
		Lease lease = this.context.bean(Guarded.class).lease();
		Awaitility.await().until(() -> !lease.isHeld());
		pending.completeExceptionally(new IllegalStateException("body"));
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(IllegalStateException.class)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class));
	}

	@Test
	void releaseWhenItFailsAfterTheBodyIsThrown() {
		this.context.registry(new Unreleasable());
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> guarded().succeeds()).withMessage("release");
	}

	@Test
	void releaseWhenItFailsAfterAFailedBodyIsSuppressed() {
		this.context.registry(new Unreleasable());
		assertThatIllegalStateException().isThrownBy(() -> guarded().fails())
			.withMessage("body")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.isInstanceOfSatisfying(LockException.class,
						(suppressed) -> assertThat(suppressed).hasMessage("release")));
	}

	@Test
	void lossWhenBodyFailsSaysThatItHadNotCompleted() {
		this.context.registry(new Unreleasable(new LockLostException("", "k", LossReason.values()[0], true)));
		assertThatIllegalStateException().isThrownBy(() -> guarded().fails())
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.isInstanceOfSatisfying(LockLostException.class,
						(lost) -> assertThat(lost.isBodyCompleted()).isFalse()));
	}

	private static void assertThatLossIsTold(CompletableFuture<String> result) {
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockLostException.class);
	}

	static class Guarded {

		private Lease lease;

		private boolean interrupted;

		Lease lease() {
			return this.lease;
		}

		boolean interrupted() {
			return this.interrupted;
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public void blocked() {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				assertThat(Lease.current().orElseThrow().isHeld()).isFalse();
			}
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public void spinning() {
			while (!Thread.currentThread().isInterrupted()) {
				Thread.onSpinWait();
			}
			throw new IllegalStateException("interrupted");
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public CompletableFuture<String> later(CompletableFuture<String> pending) {
			this.lease = Lease.current().orElseThrow();
			return pending;
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		public CompletableFuture<String> laterAndThrow(CompletableFuture<String> pending) {
			this.lease = Lease.current().orElseThrow();
			return pending;
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		public void goesOn() {
			CountDownLatch lost = new CountDownLatch(1);
			Lease.current().orElseThrow().onLost(lost::countDown);
			Awaitility.await().until(() -> lost.getCount() == 0);
			this.interrupted = Thread.currentThread().isInterrupted();
		}

		@DistributedLock("'k'")
		public void succeeds() {
		}

		@DistributedLock("'k'")
		public void fails() {
			throw new IllegalStateException("body");
		}

	}

	/** A registry whose leases cannot be released. */
	private static final class Unreleasable implements LockRegistry {

		private final DefaultLockRegistry delegate = new DefaultLockRegistry(new MemoryLockStore());

		private final RuntimeException failure;

		Unreleasable() {
			this(new LockException("release"));
		}

		Unreleasable(RuntimeException failure) {
			this.failure = failure;
		}

		@Override
		public LeaseLock getLock(String name, String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Lease acquire(LockRequest request) {
			return new DelegatingLease(this.delegate.acquire(request)) {
				@Override
				public void close() {
					super.close();
					throw Unreleasable.this.failure;
				}
			};
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			throw new UnsupportedOperationException();
		}

	}

}
