package io.distributedlock;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

class LockTemplateTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ZERO);

	/** Attempts again if the lease has expired by the time of its answer. */
	private static final LockRequest BRIEF = REQUEST.ttl(Duration.ofMillis(50))
		.renew(false)
		.waitFor(Duration.ofSeconds(20));

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	private final LockTemplate template = new LockTemplate(this.registry);

	@AfterEach
	void close() {
		this.registry.close();
	}

	private boolean isLocked() {
		return this.locks.isLocked("", "k");
	}

	private static <T> T outlive(Lease lease, T result) {
		Awaitility.await().until(() -> !lease.isHeld());
		return result;
	}

	/** It was a NullPointerException inside the library. */
	@Test
	void executeWhenTheRegistryIsAMockNamesTheRemedy() {
		LockTemplate template = new LockTemplate(mock(LockRegistry.class), LockProfiles.DEFAULTS);
		assertThatIllegalStateException().isThrownBy(() -> template.execute("k", () -> "v"))
			.withMessageContaining("returned no lease")
			.withMessageContaining("@AutoConfigureTestLocks");
	}

	@Test
	void executeWithoutResultWhenRequestIsGivenRunsUnderItsLock() {
		AtomicBoolean locked = new AtomicBoolean();
		this.template.executeWithoutResult(REQUEST.name("jobs"), () -> locked.set(this.locks.isLocked("jobs", "k")));
		assertThat(locked).isTrue();
		assertThat(this.locks.isLocked("jobs", "k")).isFalse();
	}

	@Test
	void executeWithoutResultRunsUnderTheLock() {
		AtomicBoolean locked = new AtomicBoolean();
		this.template.executeWithoutResult("k", () -> locked.set(isLocked()));
		assertThat(locked).isTrue();
		assertThat(isLocked()).isFalse();
	}

	/** The lock was released while the future went on, without an error. */
	@Test
	void executeWhenTheResultIsAPendingFutureIsRefused() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.template.execute("k", () -> new CompletableFuture<>()))
			.withMessageContaining("executeAsync");
		assertThat(this.template.execute("k", () -> CompletableFuture.completedFuture("done"))).isCompleted();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void executeWhenDoneReturnsTheResultAndReleases() {
		assertThat(this.template.execute("k", () -> isLocked() ? "locked" : "free")).isEqualTo("locked");
		assertThat(isLocked()).isFalse();
	}

	@Test
	void currentWhenNestedIsTheInnermostAndThenTheOuterAgain() {
		this.template.execute("outer", () -> {
			this.template.execute("inner", () -> assertThat(Lease.current()).map(Lease::key).hasValue("inner"));
			return assertThat(Lease.current()).map(Lease::key).hasValue("outer");
		});
		assertThat(Lease.current()).isEmpty();
	}

	@Test
	void executeWhenNestedEntersAgain() {
		boolean sameToken = this.template.execute(REQUEST,
				(outer) -> this.template.execute(REQUEST, (inner) -> inner.fencingToken() == outer.fencingToken()));
		assertThat(sameToken).isTrue();
	}

	@Test
	void executeWhenBodyFailsThrowsItAndReleases() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute(REQUEST, (lease) -> {
			throw new IOException("body");
		}));
		assertThat(isLocked()).isFalse();
		assertThat(Lease.current()).isEmpty();
	}

	@Test
	void executeWhenLostThrowsThatTheBodyHadCompleted() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(BRIEF, (lease) -> outlive(lease, "done")))
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).isTrue());
	}

	@Test
	void executeWhenLostAndBodyFailsThrowsTheBodysException() {
		assertThatIllegalStateException().isThrownBy(() -> this.template.execute(BRIEF, (lease) -> {
			throw outlive(lease, new IllegalStateException("body"));
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().satisfies((suppressed) -> {
			assertThat(suppressed).isInstanceOf(LockLostException.class);
			assertThat(((LockLostException) suppressed).isBodyCompleted()).isFalse();
		}));
	}

	@Test
	void executeWhenBusyDoesNotRun() {
		try (Lease busy = this.registry.acquire(REQUEST)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.template.execute(REQUEST, (lease) -> {
					throw new AssertionError("must not run");
				}));
		}
	}

	@Test
	void stageWhenCompleteIsReleasedBeforeItIsReturned() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lease) -> CompletableFuture.completedFuture("done"));
		assertThat(isLocked()).isFalse();
		assertThat(result).isCompletedWithValue("done");
	}

	@Test
	void stageWhenNullCompletesWithNull() {
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lease) -> (CompletionStage<String>) null);
		assertThat(result).isCompletedWithValue(null);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void stageWhenBodyThrowsReleases() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.template.<String, IOException>executeAsync(REQUEST, (lease) -> {
				throw new IOException("before the stage");
			}));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void stageWhenPendingCompletesAfterTheRelease() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<Boolean> locked = this.template.executeAsync(REQUEST, (lease) -> pending)
			.thenApply((result) -> isLocked());
		assertThat(isLocked()).isTrue();
		pending.complete("done");
		assertThat(locked.join()).isFalse();
	}

	@Test
	void stageWhenItFailsPassesTheFailureOn() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lease) -> pending);
		pending.completeExceptionally(new IOException("body"));
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IOException.class);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void stageWhenLostFailsWithTheLoss() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(BRIEF, (lease) -> {
			lease.onLost(() -> pending.complete("too late"));
			return pending;
		});
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void stageWhenLostAndBodyFailsKeepsTheBodysFailure() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(BRIEF, (lease) -> {
			lease.onLost(() -> pending.completeExceptionally(new IOException("body")));
			return pending;
		});
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IOException.class)
			.satisfies(
					(ex) -> assertThat(ex.getCause().getSuppressed()).hasOnlyElementsOfType(LockLostException.class));
	}

	@Test
	void stageWhenCancelledCancelsAClientsStageAndReleases() {
		CompletableFuture<String> pending = new CompletableFuture<>() {

		};
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lease) -> pending);
		assertThat(result.cancel(true)).isTrue();
		assertThat(result).isCancelled();
		assertThat(pending).isCancelled();
		Awaitility.await().until(() -> !isLocked());
	}

	/**
	 * Cancelling the body's stage hid when its code ended, and freed the lock under it.
	 */
	@Test
	void stageWhenCancelledWhileItsCodeRunsStaysLockedUntilThatEnds() throws InterruptedException {
		CountDownLatch runs = new CountDownLatch(1);
		CompletableFuture<String> end = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lease) -> CompletableFuture.supplyAsync(() -> {
					runs.countDown();
					return end.join();
				}, (task) -> new Thread(task).start()));
		runs.await();
		assertThat(result.cancel(true)).isTrue();
		assertThat(result).isCancelled();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.execute(REQUEST, (lease) -> "beside it"));
		end.complete("done");
		Awaitility.await().until(() -> !isLocked());
	}

	/** A cancelled stage of the lock inside completed at once, and freed this one. */
	@Test
	void stageWhenCancelledStaysLockedUntilTheCodeInsideEnds() {
		CompletableFuture<String> end = new CompletableFuture<>();
		LockRequest inside = LockRequest.of("inside");
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lease) -> this.template.executeAsync(inside, (inner) -> end));
		assertThat(result.cancel(true)).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.execute(REQUEST, (lease) -> "beside it"));
		end.complete("done");
		Awaitility.await().until(() -> !isLocked() && !this.locks.isLocked("", "inside"));
	}

	@Test
	void stageWhenCancelledCancelsAClientsStageInALockInside() {
		CompletableFuture<String> pending = new CompletableFuture<>() {

		};
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lease) -> this.template.executeAsync(LockRequest.of("inside"), (inner) -> pending));
		assertThat(result.cancel(true)).isTrue();
		assertThat(pending).isCancelled();
		Awaitility.await().until(() -> !isLocked() && !this.locks.isLocked("", "inside"));
	}

	@Test
	void stageWhenCancelledButTheBodyGoesOnStaysLocked() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST,
				(lease) -> pending.minimalCompletionStage());
		result.cancel(true);
		assertThat(pending).isNotDone();
		assertThat(isLocked()).isTrue();
		pending.complete("done");
		Awaitility.await().until(() -> !isLocked());
	}

	/** The lock used to be kept and renewed for ever. */
	@Test
	void stageWhenItCannotBeAskedIsReleased() {
		CompletableFuture<String> foreign = new CompletableFuture<>() {

			@Override
			public CompletableFuture<String> toCompletableFuture() {
				throw new IllegalStateException("foreign");
			}

		};
		assertThatIllegalStateException().isThrownBy(() -> this.template.executeAsync(REQUEST, (lease) -> foreign))
			.withMessage("foreign");
		assertThat(isLocked()).isFalse();
	}

	/** The lock used to be kept and renewed for ever. */
	@Test
	void stageWhenItCannotBeWatchedIsReleased() {
		CompletableFuture<String> foreign = new CompletableFuture<>() {

			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw new IllegalStateException("foreign");
			}

		};
		assertThatIllegalStateException().isThrownBy(() -> this.template.executeAsync(REQUEST, (lease) -> foreign))
			.withMessage("foreign");
		assertThat(isLocked()).isFalse();
	}

	@Test
	void stageWhenPendingEndsTheThreadsOwnership() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		this.template.executeAsync(REQUEST, (lease) -> pending);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.execute(REQUEST, (lease) -> "entered again"));
		pending.complete("done");
	}

}
