package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

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
	 * Find the declarations that count for a method.
	 * @param method the most specific method, maybe private, static or final
	 * @param targetClass the class of the bean
	 * @return the nearest declarations, one for each lock, outermost first; none if the
	 * method is not guarded
	 */
	List<LockDeclaration> parse(Method method, Class<?> targetClass);

}
