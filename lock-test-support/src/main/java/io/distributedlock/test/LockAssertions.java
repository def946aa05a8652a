package io.distributedlock.test;

import org.assertj.core.api.Assertions;

/**
 * Entry point to the AssertJ assertions on guarded methods, for a static import beside
 * that of {@link Assertions#assertThat}.
 *
 * @since 0.1.0
 */
public final class LockAssertions {

	private LockAssertions() {
	}

	/**
	 * Begin an assertion on a method of a bean.
	 * @param bean the bean as the application context has it, with its proxy
	 * @param methodName the name of the method as it is written, which may be inherited
	 * @param parameterTypes the types of its parameters as they are written, value
	 * classes of Kotlin among them; they may be left out where one method only has this
	 * name
	 * @return the assertion
	 * @throws IllegalArgumentException if there is no such method, or several
	 */
	public static GuardedMethodAssert assertThatMethod(Object bean, String methodName, Class<?>... parameterTypes) {
		return new GuardedMethodAssert(bean, methodName, parameterTypes);
	}

}
