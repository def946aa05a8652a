package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockInterceptorPolicyTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded busy() {
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		this.context.holdElsewhere("", "k");
		return guarded;
	}

	private Guarded unavailable(LockStoreException.Kind kind) {
		return this.context.registry(new BrokenRegistry(kind)).start(Guarded.class).bean(Guarded.class);
	}

	private Guarded unavailable() {
		return unavailable(LockStoreException.Kind.UNAVAILABLE);
	}

	@Test
	void busyWhenThrowThrows() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> busy().throwing());
	}

	@Test
	void busyWhenThrowAndFutureThrowsOnTheCallersThread() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> busy().throwingStage());
	}

	@Test
	void busyWhenSkipAndVoidDoesNothing() {
		Guarded guarded = busy();
		guarded.skipVoid();
		assertThat(guarded.calls()).isZero();
	}

	@Test
	void busyWhenSkipAndOptionalIsEmpty() {
		assertThat(busy().skipOptional()).isEmpty();
	}

	@Test
	void busyWhenSkipAndStageOfVoidCompletes() {
		assertThat(busy().skipStage().toCompletableFuture()).isCompletedWithValue(null);
	}

	@Test
	void busyWhenSkipAndFutureOfOptionalIsEmpty() throws ExecutionException, InterruptedException {
		assertThat(busy().skipFuture().get()).isEmpty();
	}

	@Test
	void busyWhenFallbackCallsItWithTheException() {
		assertThat(busy().fallBack("a")).isEqualTo("a:k");
	}

	@Test
	void busyWhenFallbackIsPrivateAndTakesNoExceptionCallsIt() {
		assertThat(busy().fallBackPrivately(1)).isEqualTo(2);
	}

	@Test
	void busyWhenFallbackOfFutureReturnsItsFuture() {
		assertThat(busy().fallBackLater().join()).isEqualTo("instead");
	}

	@Test
	void busyWhenFallbackFailsThrowsWhatItThrew() {
		assertThatIllegalStateException().isThrownBy(() -> busy().fallBackAndFail()).withMessage("fallback");
	}

	@Test
	void bodyWhenItsOwnLockIsBusyIsNotSkipped() {
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::bodyIsBusy);
	}

	@Test
	void bodyWhenItsOwnStoreFailsDoesNotRunAgain() {
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(guarded::bodyIsUnavailable);
		assertThat(guarded.calls()).isEqualTo(1);
	}

	@Test
	void unavailableWhenThrowThrows() {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> unavailable().throwing());
	}

	@Test
	void unavailableWhenSkipIsEmpty() {
		assertThat(unavailable().skipOptional()).isEmpty();
	}

	@Test
	void unavailableWhenSkipAndStageCompletes() {
		assertThat(unavailable().skipStage().toCompletableFuture()).isCompletedWithValue(null);
	}

	@Test
	void unavailableWhenProceedRunsWithoutLockAndTells() {
		List<String> told = new ArrayList<>();
		this.context.listener((request, cause) -> told.add(request.name() + request.keys()));
		assertThat(unavailable().proceed()).isEqualTo("unprotected");
		assertThat(told).containsExactly("risky[k]");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void unavailableWhenProceedWarnsWithTheNameOfTheMethod(CapturedOutput output) {
		unavailable().proceed();
		assertThat(output).containsPattern("Running [\\w.$]+\\.proceed\\(\\) without its lock: ");
	}

	@Test
	void unavailableWhenListenerFailsStillProceeds() {
		this.context.listener((request, cause) -> {
			throw new IllegalStateException("listener");
		});
		assertThat(unavailable().proceed()).isEqualTo("unprotected");
	}

	@Test
	void misconfiguredWhenProceedThrows() {
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> unavailable(LockStoreException.Kind.MISCONFIGURED).proceed());
	}

	@Test
	void stageWhenPendingKeepsTheLockUntilItCompletes() {
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		CompletableFuture<String> result = guarded.stage();
		assertThat(this.context.isLocked("k")).isTrue();
		guarded.pending().complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void stageWhenPendingDetachesThePooledThread() {
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		CompletableFuture<String> first = guarded.stage();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::stage);
		guarded.pending().complete("done");
		first.join();
	}

	static class Guarded {

		private final CompletableFuture<String> pending = new CompletableFuture<>();

		private int calls;

		int calls() {
			return this.calls;
		}

		CompletableFuture<String> pending() {
			return this.pending;
		}

		@DistributedLock(key = "'k'", waitFor = "0")
		public void throwing() {
			this.calls++;
		}

		@DistributedLock(key = "'k'", waitFor = "0")
		public CompletableFuture<String> throwingStage() {
			return CompletableFuture.completedFuture("");
		}

		@DistributedLock(key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public void skipVoid() {
			this.calls++;
		}

		@DistributedLock(key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP, whenUnavailable = WhenUnavailable.SKIP)
		public Optional<String> skipOptional() {
			return Optional.of("body");
		}

		@DistributedLock(key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP, whenUnavailable = WhenUnavailable.SKIP)
		public CompletionStage<Void> skipStage() {
			return new CompletableFuture<>();
		}

		@DistributedLock(key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public CompletableFuture<Optional<String>> skipFuture() {
			return CompletableFuture.completedFuture(Optional.of("body"));
		}

		@DistributedLock(key = "'k'", waitFor = "0", fallback = "instead")
		public String fallBack(String argument) {
			return "body";
		}

		String instead(String argument, LockException busy) {
			return argument + ":" + ((LockNotAcquiredException) busy).getKey();
		}

		@DistributedLock(key = "'k'", waitFor = "0", whenBusy = WhenBusy.FALLBACK, fallback = "privately")
		public int fallBackPrivately(int argument) {
			return argument;
		}

		private int privately(int argument) {
			return argument + 1;
		}

		@DistributedLock(key = "'k'", waitFor = "0", fallback = "later")
		public CompletableFuture<String> fallBackLater() {
			return new CompletableFuture<>();
		}

		CompletableFuture<String> later() {
			return CompletableFuture.completedFuture("instead");
		}

		@DistributedLock(key = "'k'", waitFor = "0", fallback = "fail")
		public void fallBackAndFail() {
			this.calls++;
		}

		void fail() {
			throw new IllegalStateException("fallback");
		}

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		public void bodyIsBusy() {
			throw new LockNotAcquiredException("another", null, Duration.ZERO);
		}

		@DistributedLock(key = "'k'", whenUnavailable = WhenUnavailable.PROCEED)
		public void bodyIsUnavailable() {
			this.calls++;
			throw new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "another", null);
		}

		@DistributedLock(name = "risky", key = "'k'", whenUnavailable = WhenUnavailable.PROCEED)
		public String proceed() {
			return Lease.current().isPresent() ? "protected" : "unprotected";
		}

		@DistributedLock(key = "'k'", waitFor = "0")
		public CompletableFuture<String> stage() {
			return this.pending;
		}

	}

}
