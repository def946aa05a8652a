package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The specifications of guarded methods. Thread-safe.
 *
 * @since 0.1.0
 */
public interface MethodLockSpecSource {

	/**
	 * Whether a class has guarded methods. All of them are checked by the first call.
	 * @param targetClass the class of a bean
	 * @return whether there is anything to guard
	 * @throws InvalidLockDeclarationException if a declaration cannot work
	 */
	boolean isCandidateClass(Class<?> targetClass);

	/**
	 * The specification of a method, parsed once.
	 * @param method the method, maybe of an interface
	 * @param targetClass the class of the bean
	 * @return the specification, or {@code null} if the method is not guarded
	 * @throws InvalidLockDeclarationException if the declaration cannot work
	 */
	@Nullable MethodLockSpec getSpec(Method method, Class<?> targetClass);

	/**
	 * The specifications that were found so far, for reports.
	 * @return the specifications of guarded methods, of each the outermost lock
	 */
	default Collection<MethodLockSpec> specs() {
		return List.of();
	}

}
