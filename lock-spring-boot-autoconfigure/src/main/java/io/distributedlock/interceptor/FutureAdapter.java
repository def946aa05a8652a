package io.distributedlock.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Lets guarded methods return a future of a third party, such as a
 * {@code ListenableFuture}: the lock is kept until it completes. A bean of this type is
 * used for methods that declare exactly its type as their result. Thread-safe.
 *
 * @param <F> the type of future
 * @since 0.1.0
 */
public interface FutureAdapter<F> {

	/**
	 * The type of future.
	 * @return the type that methods declare, neither {@link CompletionStage} nor
	 * {@link java.util.concurrent.Future} nor {@link CompletableFuture}, which need no
	 * adapter
	 */
	Class<F> type();

	/**
	 * See the future of a body as a stage. Where the caller cancels, a stage whose class
	 * has a {@code cancel} of its own is cancelled, and should cancel the future. A plain
	 * {@link CompletableFuture} is left alone: its cancel stops nothing, and the lock
	 * would be free while the body runs.
	 * @param future what the body has returned
	 * @return completes when the future does, with its result or failure
	 */
	CompletionStage<@Nullable Object> toStage(F future);

	/**
	 * Make what the caller gets. Cancelling it should cancel the stage.
	 * @param guarded completes after the lock was released
	 * @return completes when the stage does, with its result or failure
	 */
	F fromStage(CompletableFuture<@Nullable Object> guarded);

}
