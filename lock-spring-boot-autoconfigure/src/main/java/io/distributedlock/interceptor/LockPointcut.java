package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches guarded methods. The class filter makes the source look at every method of a
 * class, also at those that no proxy ever sees.
 */
final class LockPointcut extends StaticMethodMatcherPointcut {

	private final MethodLockSpecSource source;

	LockPointcut(MethodLockSpecSource source) {
		this.source = source;
		setClassFilter(new GuardedClasses(source));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.getSpec(method, targetClass) != null;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockPointcut pointcut && pointcut.source.equals(this.source);
	}

	@Override
	public int hashCode() {
		return this.source.hashCode();
	}

	private record GuardedClasses(MethodLockSpecSource source) implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return this.source.isCandidateClass(type);
		}

	}

}
