package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Tells the kind of a method's result, and refuses those that would run unguarded. */
final class ResultKinds {

	static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ResultKinds.class.getClassLoader());

	private ResultKinds() {
	}

	static ResultKind of(Method method, Class<?> targetClass) {
		ResolvableType type = SuspendingFunctions.resultType(method, targetClass);
		LateResults.refuseInside(type, method, targetClass);
		if (SuspendingFunctions.isSuspending(method)) {
			return suspending(type, method, targetClass);
		}
		Class<?> raw = type.resolve(method.getReturnType());
		if (raw == CompletionStage.class || raw == CompletableFuture.class) {
			return BlockingResultKind.stage(type);
		}
		ResultKind reactive = REACTOR ? ReactiveResultKind.of(raw) : null;
		if (reactive != null) {
			return reactive;
		}
		LateResults.refuse(type, method, targetClass);
		refuseForeignFuture(raw, method, targetClass);
		return BlockingResultKind.value(type, MethodNames.of(targetClass, method));
	}

	private static ResultKind suspending(ResolvableType type, Method method, Class<?> targetClass) {
		if (!REACTOR || !SuspendingFunctions.isSupported(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it is a suspending function, for which libraries are missing",
					"Add kotlinx-coroutines-reactor and kotlin-reflect, or guard a function that does not suspend");
		}
		if (ReactiveResultKind.of(type.resolve(Object.class)) == null) {
			LateResults.refuse(type, method, targetClass);
		}
		return ReactiveResultKind.ofSuspending(type);
	}

	/** The caller has to be given a future that waits for the release. */
	private static void refuseForeignFuture(Class<?> type, Method method, Class<?> targetClass) {
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it returns a %s, for the end of which the lock cannot be kept".formatted(type.getName()),
					"Declare CompletableFuture or CompletionStage as its result");
		}
	}

}
