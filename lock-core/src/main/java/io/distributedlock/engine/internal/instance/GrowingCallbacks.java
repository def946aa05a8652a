package io.distributedlock.engine.internal.instance;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * An executor for code of users that may block, or wait for other code on it. A fixed
 * number of threads could all wait for tasks that only they would run. If tasks wait and
 * none ends, the threads are doubled, up to {@link #MOST_THREADS}; idle ones end.
 */
public final class GrowingCallbacks implements Executor {

	static final int MOST_THREADS = 256;

	/** Runs the check. That starts threads at most, so it may run on the JDK's timer. */
	private static final Executor SOON = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, Runnable::run);

	private final int fewest;

	private final Callbacks callbacks;

	private final AtomicBoolean watched = new AtomicBoolean();

	/** Number of tasks that had ended at the last check; only the check uses it. */
	private long endedBefore = -1;

	/**
	 * Create an executor.
	 * @param name the prefix of the thread names; a number follows
	 * @param threads the number of threads while tasks end
	 */
	public GrowingCallbacks(String name, int threads) {
		this.fewest = threads;
		this.callbacks = new Callbacks(name, threads);
	}

	/**
	 * Return a result that completes on a thread for code of users, after the end of a
	 * lease or the answer to an extend.
	 * @param ended completes at the end; {@code null} if that was before
	 * @param last called then; returns the failure of the result, or {@code null}
	 */
	public static CompletableFuture<Void> after(@Nullable CompletableFuture<?> ended, Executor endings,
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
			// Done even if no thread can be started.
			this.endedBefore = ended;
			this.watched.set(false);
			watch();
		}
	}

}
