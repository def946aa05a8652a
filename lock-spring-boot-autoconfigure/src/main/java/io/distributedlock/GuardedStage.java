package io.distributedlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * What the caller of an asynchronous body gets: completes after the release. Cancelling
 * it cancels the body's stage; the lock stays until that stage has completed.
 */
final class GuardedStage<T extends @Nullable Object> extends CompletableFuture<T> {

	private final LeaseScope scope;

	private final CompletionStage<T> body;

	private GuardedStage(LeaseScope scope, CompletionStage<T> body) {
		this.scope = scope;
		this.body = body;
	}

	static <T extends @Nullable Object> CompletableFuture<T> of(LeaseScope scope, @Nullable CompletionStage<T> body) {
		CompletionStage<T> stage = (body != null) ? body : nothing();
		GuardedStage<T> guarded = new GuardedStage<>(scope, stage);
		if (isDone(stage)) {
			stage.whenComplete((result, failure) -> guarded.finish(result, failure, scope.endQuietly()));
		}
		else {
			scope.lease().detach();
			stage.whenComplete(guarded::endLater);
		}
		return guarded;
	}

	@SuppressWarnings("NullAway") // a body without a stage has no result either
	private static <T extends @Nullable Object> CompletionStage<T> nothing() {
		return CompletableFuture.completedFuture(null);
	}

	private static boolean isDone(CompletionStage<?> stage) {
		try {
			return stage.toCompletableFuture().isDone();
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		if (cancelled) {
			cancelBody(mayInterruptIfRunning);
		}
		return cancelled;
	}

	private void cancelBody(boolean mayInterruptIfRunning) {
		try {
			this.body.toCompletableFuture().cancel(mayInterruptIfRunning);
		}
		catch (UnsupportedOperationException ignored) {
			// A stage of a foreign kind: it goes on, and so does the lock.
		}
	}

	private void endLater(T result, @Nullable Throwable failure) {
		this.scope.endAsync().whenComplete((released, loss) -> finish(result, failure, loss));
	}

	private void finish(T result, @Nullable Throwable failure, @Nullable Throwable loss) {
		if (failure != null) {
			Losses.suppress(failure, loss);
			completeExceptionally(failure);
		}
		else if (loss != null) {
			completeExceptionally(Losses.told(loss, true));
		}
		else {
			complete(result);
		}
	}

}
