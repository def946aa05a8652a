package io.distributedlock.interceptor;

import java.lang.reflect.Method;

/** Makes sure that calls of a guarded method cannot pass by the lock. */
@FunctionalInterface
interface GuardCheck {

	/**
	 * Check a method.
	 * @param method the most specific method
	 * @param targetClass the class of the object
	 * @throws InvalidLockDeclarationException if it would run unguarded
	 */
	void check(Method method, Class<?> targetClass);

}
