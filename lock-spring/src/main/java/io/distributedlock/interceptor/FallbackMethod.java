package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.interceptor.internal.InvalidAttributeException;
import io.distributedlock.interceptor.internal.MethodNames;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that is called instead of a guarded one whose lock is busy. */
final class FallbackMethod {

	/** Kotlin's hash of the types in a signature with value classes. */
	private static final Pattern HASH = Pattern.compile("[^-]*(-[^$]*)?.*");

	private final Method method;

	private final boolean takesException;

	private FallbackMethod(Method method, boolean takesException) {
		this.method = method;
		this.takesException = takesException;
		ReflectionUtils.makeAccessible(method);
	}

	/** Find the fallback of a guarded method, the one with the exception first. */
	static FallbackMethod find(String name, Method guarded, Class<?> targetClass) {
		List<Method> candidates = Arrays
			.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass,
					(method) -> MethodNames.isNamed(method, name) && !method.isSynthetic() && !method.equals(guarded)
							&& isAlike(method, guarded, targetClass)))
			.sorted(Comparator.comparing(Method::getName))
			.toList();
		for (boolean takesException : new boolean[] { true, false }) {
			List<Method> fitting = candidates.stream()
				.filter((candidate) -> takes(candidate, guarded, takesException))
				.toList();
			if (!fitting.isEmpty()) {
				return new FallbackMethod(only(fitting, name, guarded), takesException);
			}
		}
		throw new InvalidAttributeException(
				"its fallback method '%s' does not exist, does not fit, or is the method itself".formatted(name),
				"Add a %s '%s' to the class that returns %s and has the parameters %s, optionally followed by a LockException"
					.formatted(SuspendingFunctions.isSuspending(guarded) ? "suspending function" : "method", name,
							resultType(guarded, targetClass).getTypeName(),
							Arrays.stream(parameters(guarded)).map(Class::getSimpleName).toList()));
	}

	/**
	 * Choose among Kotlin functions that differ only in value classes, and so have the
	 * same parameter types. The one with the hash of the guarded method fits; a parameter
	 * for the exception changes the hash.
	 */
	private static Method only(List<Method> fitting, String name, Method guarded) {
		List<Method> alike = fitting.stream().filter((method) -> hash(method).equals(hash(guarded))).toList();
		Method found = alike.isEmpty() ? fitting.get(0) : alike.get(0);
		if (alike.isEmpty() && fitting.stream()
			.anyMatch(
					(other) -> other != found && Arrays.equals(other.getParameterTypes(), found.getParameterTypes()))) {
			throw new InvalidAttributeException(
					"its fallback method '%s' is one of several that differ only in value".formatted(name)
							+ " classes, so which one is meant is not known",
					"Give it a name of its own");
		}
		return found;
	}

	private static String hash(Method method) {
		return HASH.matcher(method.getName()).replaceFirst("$1");
	}

	private static boolean isAlike(Method candidate, Method guarded, Class<?> targetClass) {
		return SuspendingFunctions.isSuspending(candidate) == SuspendingFunctions.isSuspending(guarded)
				&& ClassUtils.isAssignable(resultType(guarded, targetClass), resultType(candidate, targetClass));
	}

	private static Class<?> resultType(Method method, Class<?> targetClass) {
		return SuspendingFunctions.isSuspending(method)
				? SuspendingFunctions.resultType(method, targetClass).resolve(Object.class) : method.getReturnType();
	}

	private static boolean takes(Method candidate, Method guarded, boolean exception) {
		Class<?>[] wanted = parameters(guarded);
		Class<?>[] actual = parameters(candidate);
		if (!exception) {
			return Arrays.equals(wanted, actual);
		}
		return actual.length == wanted.length + 1 && Arrays.equals(wanted, Arrays.copyOf(actual, wanted.length))
				&& Throwable.class.isAssignableFrom(actual[wanted.length])
				&& actual[wanted.length].isAssignableFrom(LockNotAcquiredException.class);
	}

	/** The parameter types without the continuation of a suspending function. */
	private static Class<?>[] parameters(Method method) {
		Class<?>[] all = method.getParameterTypes();
		return SuspendingFunctions.isSuspending(method) ? Arrays.copyOf(all, all.length - 1) : all;
	}

	@SuppressWarnings("NullAway") // Spring does not say that arguments may be null
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException busy) throws Throwable {
		List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments));
		if (this.takesException) {
			all.add(parameters(this.method).length - 1, busy);
		}
		return AopUtils.invokeJoinpointUsingReflection(target, this.method, all.toArray());
	}

}
