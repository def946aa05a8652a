package io.distributedlock.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockTemplate;
import org.jspecify.annotations.Nullable;

/** Methods that are done when their stage completes. The lock is waited for before. */
final class StageResultKind implements ResultKind {

	private final Supplier<LockTemplate> template;

	private final Class<?> type;

	/**
	 * Create a kind.
	 * @param template runs the calls
	 * @param type what the stage completes with
	 */
	StageResultKind(Supplier<LockTemplate> template, Class<?> type) {
		this.template = template;
		this.type = type;
	}

	@Override
	@SuppressWarnings("NullAway") // a body without a stage completes with nothing
	public @Nullable Object invoke(GuardedCall call) throws Throwable {
		try {
			return this.template.get()
				.executeAsync(call.request(), (lease) -> (CompletionStage<?>) call.doWithLock(lease));
		}
		catch (LockException ex) {
			return call.instead(ex);
		}
	}

	@Override
	public @Nullable Supplier<@Nullable Object> emptyResult() {
		Supplier<@Nullable Object> value = ValueResultKind.emptyValue(this.type);
		return (value != null) ? () -> CompletableFuture.completedFuture(value.get()) : null;
	}

	/** Not every stage that is a future by its class can be used as one. */
	@Override
	public Object resultOf(@Nullable Object value) {
		return (value instanceof CompletionStage<?> stage) ? stage.toCompletableFuture()
				: CompletableFuture.completedFuture(value);
	}

}
