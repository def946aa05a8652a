package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The kind of result of a guarded method. A call ends when the method returns, or when
 * the stage that it returns completes. The calling thread waits for the lock.
 */
class ResultKind {

	/** {@code true} if the method returns a stage. */
	final boolean stage;

	/** The type of the result, or of the value that completes it. */
	final Class<?> type;

	/** {@code true} if the value is declared nullable. */
	final boolean nullable;

	ResultKind(boolean stage, Class<?> type, boolean nullable) {
		this.stage = stage;
		this.type = type;
		this.nullable = nullable;
	}

	/**
	 * The result of a skipped call.
	 * @return the empty result, or {@code null} if there is none
	 */
	@Nullable Supplier<@Nullable Object> emptyResult() {
		if (!this.nullable && this.type != void.class && this.type != Void.class && this.type != Optional.class) {
			return null;
		}
		Object value = (this.type == Optional.class) ? Optional.empty() : null;
		return () -> this.stage ? CompletableFuture.completedFuture(value) : value;
	}

	/**
	 * Convert a value that replaces the result of the method. Some stages are futures by
	 * their class, but cannot be used as one.
	 * @param value a result of this kind, or the value that completes one
	 * @return the result; the value itself where it needs no conversion
	 */
	@Nullable Object resultOf(@Nullable Object value) {
		if (!this.stage) {
			return value;
		}
		return (value instanceof CompletionStage<?> given) ? given.toCompletableFuture()
				: CompletableFuture.completedFuture(value);
	}

}
