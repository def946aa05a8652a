package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Reads what is declared about the lock of a method, for instance from an annotation.
 *
 * @since 0.1.0
 */
public interface LockDeclarationParser {

	/**
	 * Whether methods of a class can have declarations at all.
	 * @param targetClass the class of a bean
	 * @return {@code false} to save the search
	 */
	default boolean isCandidateClass(Class<?> targetClass) {
		return true;
	}

	/**
	 * Find the declaration that counts for a method.
	 * @param method the most specific method, maybe private, static or final
	 * @param targetClass the class of the bean
	 * @return the nearest declaration, or {@code null} if there is none
	 */
	@Nullable LockDeclaration parse(Method method, Class<?> targetClass);

}
