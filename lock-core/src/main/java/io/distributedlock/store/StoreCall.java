package io.distributedlock.store;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A call whose answer is a future in any case. An exception or Error that the code throws
 * before it returns a future, as a store may, is the answer of the call.
 *
 * @since 0.1.0
 */
public final class StoreCall {

	/** The mistake of a store, or of a mock in its place. */
	public static final String NO_FUTURE = "The store returned null, not a future";

	private StoreCall() {
	}

	/**
	 * Call the code.
	 * @param <T> the type of the answer
	 * @param command returns the future of the answer
	 * @return that future; one that has failed if the code throws, or returns
	 * {@code null}
	 */
	public static <T> CompletableFuture<T> send(Supplier<? extends CompletionStage<T>> command) {
		try {
			return Objects.requireNonNull(command.get(), NO_FUTURE).toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
