package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * An executor for code of users that may block, or wait for other code on it: a fixed
 * number of threads could all wait for what only they would do. Where tasks wait and none
 * ends, the threads are doubled, up to {@link #MOST_THREADS}; idle ones go.
 */
final class GrowingCallbacks implements Executor {

	static final int MOST_THREADS = 256;

	/** The look itself starts threads at most, so it may run on the JDK's timer. */
	private static final Executor SOON = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, Runnable::run);

	private final int fewest;

	private final Callbacks callbacks;

	private final AtomicBoolean watched = new AtomicBoolean();

	/** How many tasks had ended at the last look; only the look comes here. */
	private long endedBefore = -1;

	/**
	 * Create an executor.
	 * @param name what its threads are called; a number follows
	 * @param threads how many there are while tasks end
	 */
	GrowingCallbacks(String name, int threads) {
		this.fewest = threads;
		this.callbacks = new Callbacks(name, threads);
	}

	/**
	 * The end of a lease, or the answer to an extend, for code of users, and on threads
	 * for that.
	 * @param ended completes then; {@code null} if that was before
	 * @param last called then; returns what the result fails with, or {@code null}
	 */
	static CompletableFuture<Void> after(@Nullable CompletableFuture<?> ended, Executor endings,
			Supplier<? extends @Nullable RuntimeException> last) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		if (ended == null) {
			result.complete(null);
			return result;
		}
		ended.whenComplete((ignored, ex) -> endings.execute(() -> {
			RuntimeException failure = last.get();
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else {
				result.complete(null);
			}
		}));
		return result;
	}

	@Override
	public void execute(Runnable task) {
		this.callbacks.execute(task);
		watch();
	}

	private void watch() {
		if (this.callbacks.hasWaiting() && this.watched.compareAndSet(false, true)) {
			SOON.execute(this::look);
		}
	}

	private void look() {
		long ended = this.callbacks.ended();
		try {
			if (!this.callbacks.hasWaiting()) {
				this.callbacks.threads(this.fewest);
			}
			else if (ended == this.endedBefore) {
				this.callbacks.threads(Math.min(2 * this.callbacks.threads(), MOST_THREADS));
			}
		}
		finally {
			// Also where no thread is to be had.
			this.endedBefore = ended;
			this.watched.set(false);
			watch();
		}
	}

}
