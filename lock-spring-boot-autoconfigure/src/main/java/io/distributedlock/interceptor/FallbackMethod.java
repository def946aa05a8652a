package io.distributedlock.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
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

	/**
	 * Find the fallback of a guarded method, the one with the exception first.
	 * @param name the name of the fallback
	 * @param guarded the guarded method
	 * @param targetClass the class of the bean
	 * @return the fallback
	 */
	static FallbackMethod find(String name, Method guarded, Class<?> targetClass) {
		Method[] candidates = ReflectionUtils.getUniqueDeclaredMethods(targetClass,
				(method) -> method.getName().equals(name) && !method.isBridge());
		for (boolean takesException : new boolean[] { true, false }) {
			for (Method candidate : candidates) {
				if (fits(candidate, guarded, takesException)) {
					return new FallbackMethod(requireSameResult(candidate, guarded, targetClass), takesException);
				}
			}
		}
		throw new InvalidLockDeclarationException(targetClass, guarded,
				"its fallback method '%s' %s".formatted(name,
						(candidates.length == 0) ? "does not exist"
								: "does not fit: there is " + MethodNames.of(targetClass, candidates[0])),
				"Add a method '%s' to the class with the parameters %s, optionally followed by a LockException"
					.formatted(name, Arrays.stream(guarded.getParameterTypes()).map(Class::getSimpleName).toList()));
	}

	private static boolean fits(Method candidate, Method guarded, boolean takesException) {
		Class<?>[] wanted = guarded.getParameterTypes();
		Class<?>[] actual = candidate.getParameterTypes();
		if (!takesException) {
			return Arrays.equals(wanted, actual);
		}
		return actual.length == wanted.length + 1 && Arrays.equals(wanted, Arrays.copyOf(actual, wanted.length))
				&& Throwable.class.isAssignableFrom(actual[wanted.length])
				&& actual[wanted.length].isAssignableFrom(LockNotAcquiredException.class);
	}

	private static Method requireSameResult(Method candidate, Method guarded, Class<?> targetClass) {
		if (!ClassUtils.isAssignable(guarded.getReturnType(), candidate.getReturnType())) {
			throw new InvalidLockDeclarationException(targetClass, guarded,
					"its fallback method '%s' returns %s".formatted(candidate.getName(),
							candidate.getReturnType().getTypeName()),
					"Let it return " + guarded.getReturnType().getTypeName());
		}
		return candidate;
	}

	@Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException busy) throws Throwable {
		@Nullable Object[] all = arguments;
		if (this.takesException) {
			all = Arrays.copyOf(arguments, arguments.length + 1, Object[].class);
			all[arguments.length] = busy;
		}
		try {
			return this.method.invoke(target, all);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
