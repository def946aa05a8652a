package io.distributedlock.interceptor;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Puts the lock around guarded methods: inside a retry, so that each attempt takes the
 * lock afresh, and outside a transaction, so that the lock is freed after the commit.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * One before the default of transactions, which is the lowest precedence. Spring
	 * Framework's retry always comes before the advisors of the auto-proxy creator.
	 * Spring Retry has this very order by default and, declared by the application, comes
	 * first among equals.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	private final transient Pointcut pointcut;

	private final transient LockInterceptor interceptor;

	/**
	 * Create an advisor.
	 * @param source the specifications of guarded methods
	 * @param interceptor runs them
	 * @param order the precedence among advisors, by default {@link #DEFAULT_ORDER}
	 */
	public DistributedLockAdvisor(MethodLockSpecSource source, LockInterceptor interceptor, int order) {
		this.pointcut = new LockPointcut(source);
		this.interceptor = interceptor;
		setOrder(order);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.interceptor;
	}

}
