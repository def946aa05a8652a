package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockedCallback;
import org.jspecify.annotations.Nullable;

/**
 * Methods that wait for the lock on the calling thread. They are done when they return,
 * or when the stage that they return completes.
 */
final class BlockingResultKind implements ResultKind {

	private final Supplier<LockTemplate> template;

	private final boolean stage;

	/** The type of the result, or of the value that completes the stage. */
	private final Class<?> type;

	BlockingResultKind(Supplier<LockTemplate> template, boolean stage, Class<?> type) {
		this.template = template;
		this.stage = stage;
		this.type = type;
	}

	@Override
	@SuppressWarnings("NullAway") // a body without a stage completes with null
	public @Nullable Object invoke(GuardedCall call) throws Throwable {
		try {
			if (this.stage) {
				return this.template.get()
					.executeAsync(call.request(), (lease) -> (CompletionStage<?>) call.doWithLock(lease));
			}
			LockedCallback<@Nullable Object, Throwable> body = (this.type != Object.class) ? call
					: (lease) -> LateResults.checked(call.spec(), call.doWithLock(lease));
			return this.template.get().execute(call.request(), body);
		}
		catch (LockException ex) {
			return call.instead(ex);
		}
	}

	@Override
	public @Nullable Supplier<@Nullable Object> emptyResult() {
		if (this.type != void.class && this.type != Void.class && this.type != Optional.class) {
			return null;
		}
		Object value = (this.type == Optional.class) ? Optional.empty() : null;
		return () -> this.stage ? CompletableFuture.completedFuture(value) : value;
	}

	/** Not every stage that is a future by its class can be used as one. */
	@Override
	public @Nullable Object resultOf(@Nullable Object value) {
		if (!this.stage) {
			return value;
		}
		return (value instanceof CompletionStage<?> given) ? given.toCompletableFuture()
				: CompletableFuture.completedFuture(value);
	}

}
