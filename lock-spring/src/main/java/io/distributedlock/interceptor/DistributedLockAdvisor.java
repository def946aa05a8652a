package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Puts the lock around guarded methods. It is inside a retry, so that each attempt takes
 * the lock afresh, and outside a transaction, so that the lock is released after the
 * commit. The class filter makes the source check every method of a class, even those
 * that no proxy ever sees.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/**
	 * The order just before the default of transactions, which is the lowest precedence.
	 * Spring Framework's retry always comes before the advisors of the auto-proxy
	 * creator. Spring Retry has the same default order as this one. Declared by the
	 * application, it comes first among equals.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	private final transient MethodLockSpecSource source;

	/**
	 * Create an advisor.
	 * @param source the specifications of guarded methods
	 * @param interceptor the interceptor that runs them
	 * @param order the precedence among advisors, by default {@link #DEFAULT_ORDER}
	 */
	public DistributedLockAdvisor(MethodLockSpecSource source, LockInterceptor interceptor, int order) {
		super(interceptor);
		this.source = source;
		setClassFilter(source::isCandidateClass);
		setOrder(order);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.getSpec(method, targetClass) != null;
	}

}
