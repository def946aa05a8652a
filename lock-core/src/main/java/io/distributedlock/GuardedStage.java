package io.distributedlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The result of an asynchronous body; it completes after the release. Cancelling it
 * cancels the stage of the body if that can stop its work. The lock stays held until that
 * stage has completed.
 */
final class GuardedStage<T extends @Nullable Object> extends CompletableFuture<T> {

	private final LeaseScope scope;

	private final CompletionStage<T> body;

	private final AtomicBoolean ended = new AtomicBoolean();

	private GuardedStage(LeaseScope scope, CompletionStage<T> body) {
		this.scope = scope;
		this.body = body;
	}

	static <T extends @Nullable Object> CompletableFuture<T> of(LeaseScope scope, @Nullable CompletionStage<T> body) {
		GuardedStage<T> guarded = new GuardedStage<>(scope, (body != null) ? body : nothing());
		try {
			guarded.watch();
			return guarded;
		}
		catch (RuntimeException | Error ex) {
			guarded.giveUp(ex);
			throw ex;
		}
	}

	private void watch() {
		if (isDone(this.body)) {
			this.body.whenComplete(this::end);
		}
		else {
			this.scope.detach();
			this.body.whenComplete(this::endLater);
		}
	}

	/** A stage that cannot be watched must not keep the lock. */
	private void giveUp(Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			Losses.suppress(failure, this.scope.endQuietly());
		}
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

	/**
	 * Cancel the stage of the body, unless it is a plain {@link CompletableFuture}: its
	 * cancel does not stop the code behind it, so the lock would be free while that code
	 * runs. For the same reason, only the body of an inner lock is cancelled, not its
	 * stage.
	 */
	private void cancelBody(boolean mayInterruptIfRunning) {
		if (this.body instanceof GuardedStage<?> inside) {
			inside.cancelBody(mayInterruptIfRunning);
			return;
		}
		try {
			Future<?> future = (this.body instanceof Future<?> own) ? own : this.body.toCompletableFuture();
			if (future.getClass() != CompletableFuture.class) {
				future.cancel(mayInterruptIfRunning);
			}
		}
		catch (UnsupportedOperationException ignored) {
			// A stage of another kind continues, and the lock stays held.
		}
	}

	private void end(T result, @Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			finish(result, failure, this.scope.endQuietly());
		}
	}

	private void endLater(T result, @Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			this.scope.endAsync().whenComplete((released, loss) -> finish(result, failure, loss));
		}
	}

	private void finish(T result, @Nullable Throwable failure, @Nullable Throwable loss) {
		if (failure != null) {
			Losses.suppress(failure, loss);
			completeExceptionally(failure);
		}
		else if (loss != null) {
			completeExceptionally(Losses.reported(loss, true));
		}
		else {
			complete(result);
		}
	}

}
