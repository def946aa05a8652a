package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import io.distributedlock.interceptor.internal.MethodNames;

/**
 * Makes sure that an aspect has been woven around a guarded method. AspectJ moves the
 * code of such a method into another one, which has a typical name. The name does not
 * show the aspect.
 */
final class WeavingCheck {

	private static final String MOVED = "_aroundBody";

	private WeavingCheck() {
	}

	static void check(Method method, Class<?> targetClass) {
		if (Modifier.isStatic(method.getModifiers())) {
			throw new InvalidLockDeclarationException(targetClass, method, "it is static, so there is no object",
					"Make it a method of an object, or use LockTemplate");
		}
		if (SuspendingFunctions.isSuspending(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it is a suspending function, which can be guarded by a proxy only",
					"Set distributed-lock.advice to proxy, or guard a function that does not suspend");
		}
		if (!isWoven(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"distributed-lock.advice is aspectj, but %s is not woven"
						.formatted(MethodNames.of(method.getDeclaringClass(), method)),
					"Weave its class with DistributedLockAspect at compile time or load time, annotate the method"
							+ " itself if only one that it overrides is annotated,"
							+ " or set distributed-lock.advice to proxy");
		}
	}

	static boolean isWoven(Method method) {
		String moved = method.getName() + MOVED;
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.anyMatch((candidate) -> candidate.getName().startsWith(moved));
	}

}
