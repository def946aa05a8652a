package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.interceptor.expression.InvalidAttributeException;
import io.distributedlock.interceptor.expression.MethodNames;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that is called instead of a guarded one whose lock is busy. */
final class FallbackMethod {

	private final Method method;

	private final boolean takesException;

	private FallbackMethod(Method method, boolean takesException) {
		this.method = method;
		this.takesException = takesException;
		ReflectionUtils.makeAccessible(method);
	}

	String name() {
		return this.method.getName();
	}

	/** Find the fallback of a guarded method, the one with the exception first. */
	static FallbackMethod find(String name, Method guarded, Class<?> targetClass) {
		Method[] candidates = ReflectionUtils.getUniqueDeclaredMethods(targetClass,
				(method) -> method.getName().equals(name) && !method.isBridge());
		boolean itself = name.equals(guarded.getName());
		for (boolean takesException : itself ? new boolean[] { true } : new boolean[] { true, false }) {
			for (Method candidate : candidates) {
				if (fits(candidate, guarded, takesException)) {
					return new FallbackMethod(requireSameResult(candidate, guarded, targetClass), takesException);
				}
			}
		}
		if (itself) {
			throw new InvalidAttributeException(
					"its fallback method '%s' is the method itself, which would run without the lock when that is busy"
						.formatted(name),
					"Name another method of the class with the attribute fallback");
		}
		throw new InvalidAttributeException(
				"its fallback method '%s' %s".formatted(name,
						(candidates.length == 0) ? "does not exist"
								: "does not fit: there is " + MethodNames.of(targetClass, candidates[0])),
				"Add a method '%s' to the class with the parameters %s, optionally followed by a LockException"
					.formatted(name, Arrays.stream(guarded.getParameterTypes()).map(Class::getSimpleName).toList()));
	}

	private static boolean fits(Method candidate, Method guarded, boolean takesException) {
		if (SuspendingFunctions.isSuspending(candidate) != SuspendingFunctions.isSuspending(guarded)) {
			return false;
		}
		Class<?>[] wanted = parameters(guarded);
		Class<?>[] actual = parameters(candidate);
		if (!takesException) {
			return Arrays.equals(wanted, actual);
		}
		return actual.length == wanted.length + 1 && Arrays.equals(wanted, Arrays.copyOf(actual, wanted.length))
				&& Throwable.class.isAssignableFrom(actual[wanted.length])
				&& actual[wanted.length].isAssignableFrom(LockNotAcquiredException.class);
	}

	/**
	 * The parameters in the source code: without the continuation of a suspending
	 * function.
	 */
	private static Class<?>[] parameters(Method method) {
		Class<?>[] all = method.getParameterTypes();
		return SuspendingFunctions.isSuspending(method) ? Arrays.copyOf(all, all.length - 1) : all;
	}

	private static Method requireSameResult(Method candidate, Method guarded, Class<?> targetClass) {
		Class<?> wanted = resultType(guarded, targetClass);
		Class<?> actual = resultType(candidate, targetClass);
		if (!ClassUtils.isAssignable(wanted, actual)) {
			throw new InvalidAttributeException(
					"its fallback method '%s' returns %s".formatted(candidate.getName(), actual.getTypeName()),
					"Let it return " + wanted.getTypeName());
		}
		return candidate;
	}

	private static Class<?> resultType(Method method, Class<?> targetClass) {
		return SuspendingFunctions.isSuspending(method)
				? SuspendingFunctions.resultType(method, targetClass).resolve(Object.class) : method.getReturnType();
	}

	@SuppressWarnings("NullAway") // Spring does not say that arguments may be null
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException busy) throws Throwable {
		@Nullable Object[] all = this.takesException ? withException(arguments, busy) : arguments;
		return AopUtils.invokeJoinpointUsingReflection(target, this.method, all);
	}

	/** The exception is the last parameter in the source code. */
	private @Nullable Object[] withException(@Nullable Object[] arguments, LockNotAcquiredException busy) {
		List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments));
		all.add(SuspendingFunctions.isSuspending(this.method) ? arguments.length - 1 : arguments.length, busy);
		return all.toArray();
	}

}
