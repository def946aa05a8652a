package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Recognises Kotlin's suspending functions by their byte code. Kotlin is optional. */
final class SuspendingFunctions {

	private static final boolean SUPPORTED = isPresent("kotlinx.coroutines.reactor.MonoKt")
			&& KotlinDetector.isKotlinReflectPresent();

	private SuspendingFunctions() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, SuspendingFunctions.class.getClassLoader());
	}

	static boolean isSuspending(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0
				&& "kotlin.coroutines.Continuation".equals(parameters[parameters.length - 1].getName());
	}

	/** Return whether Spring can call it as suspending, which needs more libraries. */
	static boolean isSupported(Method method) {
		return SUPPORTED && KotlinDetector.isSuspendingFunction(method);
	}

	/** The type that the method returns, or that its continuation takes. */
	static ResolvableType resultType(Method method, Class<?> targetClass) {
		if (!isSuspending(method)) {
			return ResolvableType.forMethodReturnType(method, targetClass);
		}
		MethodParameter continuation = new MethodParameter(method, method.getParameterCount() - 1)
			.withContainingClass(targetClass);
		return ResolvableType.forMethodParameter(continuation).getGeneric(0);
	}

	static boolean isFlow(Class<?> type) {
		return "kotlinx.coroutines.flow.Flow".equals(type.getName());
	}

	static boolean isUnit(Class<?> type) {
		return "kotlin.Unit".equals(type.getName());
	}

}
