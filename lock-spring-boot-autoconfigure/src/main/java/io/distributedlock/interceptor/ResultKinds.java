package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

/** Tells the kind of a method's result, and refuses those that would run unguarded. */
final class ResultKinds {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final List<String> DEFERRED = List.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", "io.reactivex.rxjava3.core.Single",
			"io.reactivex.rxjava3.core.Maybe", "io.reactivex.rxjava3.core.Completable",
			"io.reactivex.rxjava3.core.Observable", "io.smallrye.mutiny.Uni");

	private ResultKinds() {
	}

	static ResultKind of(Method method, Class<?> targetClass, Class<?> type) {
		if (isSuspending(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it is a suspending function, which is not done when it returns",
					"Use LockRegistry.acquireAsync inside it, or guard a function that does not suspend");
		}
		String deferred = deferredType(type);
		if (deferred != null) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it returns a %s, whose work starts after the method has returned".formatted(deferred),
					"Return a CompletableFuture, or use LockRegistry.acquireAsync in the chain");
		}
		if (type == Future.class) {
			return ResultKind.FUTURE;
		}
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return ResultKind.STAGE;
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it returns a %s, in place of which the caller cannot be given a future that waits for the release"
						.formatted(type.getName()),
					"Declare CompletableFuture, CompletionStage or Future as its result");
		}
		return ResultKind.VALUE;
	}

	private static boolean isSuspending(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0 && CONTINUATION.equals(parameters[parameters.length - 1].getName());
	}

	private static @Nullable String deferredType(Class<?> type) {
		return isDeferred(type) ? type.getName() : null;
	}

	/** Looks at interfaces of interfaces too, which is where Reactor's types have it. */
	private static boolean isDeferred(@Nullable Class<?> type) {
		return type != null && (DEFERRED.contains(type.getName()) || isDeferred(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(ResultKinds::isDeferred));
	}

}
