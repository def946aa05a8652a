package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/** Methods whose lock is waited for on the thread of the caller. */
final class BlockingResultKind implements ResultKind {

	private final ResultInvoker invoker;

	private final @Nullable Supplier<@Nullable Object> empty;

	private final Function<@Nullable Object, @Nullable Object> instead;

	private BlockingResultKind(ResultInvoker invoker, @Nullable Supplier<@Nullable Object> empty,
			Function<@Nullable Object, @Nullable Object> instead) {
		this.invoker = invoker;
		this.empty = empty;
		this.instead = instead;
	}

	/** The method is done when it returns. */
	static ResultKind value(ResolvableType type, String method) {
		boolean open = type.resolve(Object.class) == Object.class;
		ResultInvoker plain = (template, request, body) -> template.execute(request, body);
		ResultInvoker checked = (template, request, body) -> plain.invoke(template, request, (lease) -> {
			Object result = body.doWithLock(lease);
			LateResults.checked(method, result);
			return result;
		});
		return new BlockingResultKind(open ? checked : plain, emptyValue(type.resolve(Object.class)), (value) -> value);
	}

	/** The method is done when its stage completes. */
	static ResultKind stage(ResolvableType type) {
		return new BlockingResultKind(
				(template, request, body) -> template.executeAsync(request,
						(lease) -> (CompletionStage<?>) body.doWithLock(lease)),
				emptyFuture(type), BlockingResultKind::future);
	}

	@Override
	public @Nullable Object invoke(GuardedCall call) throws Throwable {
		GuardedBody body = call.body().get();
		try {
			return this.invoker.invoke(call.template(), call.request(), body);
		}
		catch (LockException ex) {
			return body.instead(ex);
		}
	}

	@Override
	public @Nullable Supplier<@Nullable Object> emptyResult() {
		return this.empty;
	}

	@Override
	public @Nullable Object resultOf(@Nullable Object value) {
		return this.instead.apply(value);
	}

	/** Not every stage that is a future by its class can be used as one. */
	@SuppressWarnings("unchecked")
	private static CompletableFuture<@Nullable Object> future(@Nullable Object value) {
		return (value instanceof CompletionStage<?> stage)
				? (CompletableFuture<@Nullable Object>) stage.toCompletableFuture()
				: CompletableFuture.<@Nullable Object>completedFuture(value);
	}

	private static @Nullable Supplier<@Nullable Object> emptyFuture(ResolvableType type) {
		Supplier<@Nullable Object> value = emptyValue(type.getGeneric(0).resolve(Object.class));
		return (value != null) ? () -> CompletableFuture.completedFuture(value.get()) : null;
	}

	static @Nullable Supplier<@Nullable Object> emptyValue(Class<?> type) {
		if (type == void.class || type == Void.class) {
			return () -> null;
		}
		return (type == Optional.class) ? Optional::empty : null;
	}

}
