package io.distributedlock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLockFinder;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;

/**
 * Recognises results that are declared nullable: by an annotation that is called
 * {@code Nullable}, of any library, or in Kotlin by the type.
 */
final class NullableResults {

	private NullableResults() {
	}

	/**
	 * Return whether the result may be null, by the method or by the declaration that has
	 * the annotation of the lock.
	 * @param stage {@code true} if the result is the value that completes a stage
	 */
	static boolean areDeclared(Method method, Class<?> targetClass, boolean stage) {
		return Stream.of(method, DistributedLockFinder.declarations(method, targetClass).get(0))
			.anyMatch((declaration) -> stage ? completesWithNull(declaration) : returnsNull(declaration));
	}

	private static boolean completesWithNull(Method method) {
		return method.getAnnotatedReturnType() instanceof AnnotatedParameterizedType stage
				&& isNullable(stage.getAnnotatedActualTypeArguments()[0]);
	}

	private static boolean returnsNull(Method method) {
		return !method.getReturnType().isPrimitive()
				&& (isNullable(method) || isNullable(method.getAnnotatedReturnType())
						|| (KotlinDetector.isKotlinType(method.getDeclaringClass())
								&& new MethodParameter(method, -1).isOptional()));
	}

	private static boolean isNullable(AnnotatedElement element) {
		return Arrays.stream(element.getAnnotations())
			.anyMatch((annotation) -> annotation.annotationType().getSimpleName().equals("Nullable"));
	}

}
