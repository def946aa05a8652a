package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** How long a guarded method runs: until it returns, or until its result completes. */
enum ResultKind {

	/** The method is done when it returns. */
	VALUE((template, request, body) -> template.execute(request, body)),

	/** The method is done when its stage completes. */
	STAGE((template, request, body) -> template.executeAsync(request,
			(lease) -> (CompletionStage<?>) body.doWithLock(lease))),

	/** The method is done when its future is done. */
	FUTURE((template, request, body) -> template.executeFuture(request, (lease) -> (Future<?>) body.doWithLock(lease)));

	private final ResultInvoker invoker;

	ResultKind(ResultInvoker invoker) {
		this.invoker = invoker;
	}

	ResultInvoker invoker() {
		return this.invoker;
	}

	/**
	 * What a skipped call returns.
	 * @param type the type of the result
	 * @return the empty result, or {@code null} if the type has none
	 */
	@Nullable Supplier<@Nullable Object> emptyResult(ResolvableType type) {
		if (this != VALUE) {
			Supplier<@Nullable Object> value = emptyValue(type.getGeneric(0).resolve(Object.class));
			return (value != null) ? () -> CompletableFuture.completedFuture(value.get()) : null;
		}
		return emptyValue(type.resolve(Object.class));
	}

	private static @Nullable Supplier<@Nullable Object> emptyValue(Class<?> type) {
		if (type == void.class || type == Void.class) {
			return () -> null;
		}
		return (type == Optional.class) ? Optional::empty : null;
	}

}
