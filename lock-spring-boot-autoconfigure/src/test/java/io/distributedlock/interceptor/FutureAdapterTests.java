package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class FutureAdapterTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		return this.context.start(Guarded.class, ListenableAdapter.class).bean(Guarded.class);
	}

	@Test
	void lockWhenFutureIsPendingIsKeptUntilItCompletes() {
		Listenable<String> body = new Listenable<>();
		Listenable<String> result = guarded().later(body);
		assertThat(result.stage).isNotDone();
		assertThat(this.context.isLocked("k")).isTrue();
		body.stage.complete("done");
		assertThat(result.stage.join()).isEqualTo("done");
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void lockWhenFutureFailsIsReleasedAndTheFailureToldAsItIs() {
		Listenable<String> body = new Listenable<>();
		Listenable<String> result = guarded().later(body);
		IllegalStateException failure = new IllegalStateException("body");
		body.stage.completeExceptionally(failure);
		Throwable[] told = new Throwable[1];
		result.listen((value, ex) -> told[0] = ex);
		Awaitility.await().until(() -> told[0] != null);
		assertThat(told[0]).isSameAs(failure);
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void cancelWhenPendingReachesTheBodysFuture() {
		Listenable<String> body = new Listenable<>();
		guarded().later(body).stage.cancel(false);
		assertThat(body.stage).isCancelled();
		Awaitility.await().until(() -> !this.context.isLocked("k"));
	}

	@Test
	void busyWhenSkipIsAnEmptyFutureOfThatType() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("", "k")) {
			assertThat(guarded.skipped().stage).isCompletedWithValue(null);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> guarded.later(new Listenable<>()));
		}
	}

	@Test
	void handlerWhenItHasAValueIsAFutureOfThatType() {
		assertThat(handled("instead").stage).isCompletedWithValue("instead");
		assertThat(handled(null).stage).isCompletedWithValue(null);
	}

	@Test
	void handlerWhenItHasAFutureOfThatTypeIsReturned() {
		Listenable<String> instead = new Listenable<>();
		assertThat(handled(instead)).isSameAs(instead);
	}

	@Test
	void handlerWhenItHasAStageIsAFutureOfThatType() {
		IllegalStateException failure = new IllegalStateException("handler");
		assertThat(handled(CompletableFuture.failedStage(failure)).stage).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCause(failure);
	}

	@Test
	void handlerWhenItThrowsThrows() {
		IllegalStateException failure = new IllegalStateException("handler");
		assertThatIllegalStateException().isThrownBy(() -> handledBy((busy) -> {
			throw failure;
		})).isSameAs(failure);
	}

	private Listenable<String> handled(@Nullable Object value) {
		return handledBy((failure) -> LockFailureDecision.result(value));
	}

	private Listenable<String> handledBy(LockFailureHandler handler) {
		try (GuardedContext handling = new GuardedContext()) {
			handling.customize((beans) -> beans.registerBean(LockFailureHandler.class, () -> handler));
			Guarded guarded = handling.start(Guarded.class, ListenableAdapter.class).bean(Guarded.class);
			try (Lease busy = handling.holdElsewhere("", "k")) {
				return guarded.later(new Listenable<>());
			}
		}
	}

	@Test
	void resultWhenAFutureThatNobodyAdaptsIsRefused() {
		assertRefused("ListenableFuture, for the end of which the lock cannot be kept", "a FutureAdapter bean for this very type", Foreign.class);
	}

	@Test
	void adaptersWhenTwoAreForOneTypeAreRefused() {
		assertRefused("several FutureAdapter beans for " + Listenable.class.getName(), "Keep one of them",
				Guarded.class, ListenableAdapter.class, SecondAdapter.class);
	}

	@Test
	void adapterWhenForAKnownTypeIsRefused() {
		assertRefused("is for the type java.util.concurrent.CompletableFuture", "does not know itself", Guarded.class,
				NeedlessAdapter.class);
	}

	private void assertRefused(String problem, String remedy, Class<?>... beans) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> this.context.start(beans))
			.satisfies((ex) -> assertThat(ex.getCause()).isInstanceOfSatisfying(InvalidLockDeclarationException.class,
					(invalid) -> assertThat(invalid.getDescription() + invalid.getRemedy()).contains(problem, remedy)));
	}

	/** The future of a third party, which knows nothing of the JDK's. */
	static final class Listenable<T> {

		final CompletableFuture<@Nullable T> stage;

		Listenable() {
			this(new CompletableFuture<>());
		}

		Listenable(CompletableFuture<@Nullable T> stage) {
			this.stage = stage;
		}

		void listen(BiConsumer<@Nullable T, @Nullable Throwable> listener) {
			this.stage.whenComplete(listener);
		}

	}

	/** The future of a third party that is one of the JDK's too. */
	interface ListenableFuture<T> extends Future<T> {

	}

	@SuppressWarnings({ "rawtypes", "unchecked" })
	static class ListenableAdapter implements FutureAdapter<Listenable> {

		@Override
		public Class<Listenable> type() {
			return Listenable.class;
		}

		@Override
		public CompletionStage<@Nullable Object> toStage(Listenable future) {
			Cancelling stage = new Cancelling(future);
			future.listen((value, ex) -> {
				if (ex != null) {
					stage.completeExceptionally((Throwable) ex);
				}
				else {
					stage.complete(value);
				}
			});
			return stage;
		}

		@Override
		public Listenable fromStage(CompletableFuture<@Nullable Object> guarded) {
			return new Listenable<>(guarded);
		}

	}

	/** Forwards its cancel. */
	@SuppressWarnings("rawtypes")
	private static final class Cancelling extends CompletableFuture<@Nullable Object> {

		private final Listenable future;

		private Cancelling(Listenable future) {
			this.future = future;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return this.future.stage.cancel(mayInterruptIfRunning);
		}

	}

	static class SecondAdapter extends ListenableAdapter {

	}

	@SuppressWarnings("rawtypes")
	static class NeedlessAdapter implements FutureAdapter<CompletableFuture> {

		@Override
		public Class<CompletableFuture> type() {
			return CompletableFuture.class;
		}

		@Override
		@SuppressWarnings("unchecked")
		public CompletionStage<@Nullable Object> toStage(CompletableFuture future) {
			return future;
		}

		@Override
		public CompletableFuture fromStage(CompletableFuture<@Nullable Object> guarded) {
			return guarded;
		}

	}

	static class Guarded {

		@DistributedLock(key = "'k'", waitFor = "0")
		public Listenable<String> later(Listenable<String> body) {
			return body;
		}

		@DistributedLock(key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Listenable<Void> skipped() {
			throw new AssertionError("never called");
		}

	}

	static class Foreign {

		@DistributedLock
		public ListenableFuture<String> guarded() {
			throw new AssertionError("never called");
		}

	}

}
