package io.distributedlock.interceptor;

import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Runs guarded methods: looks up the specification of the method, and runs the call under
 * its locks. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockInterceptor implements MethodInterceptor {

	private final MethodLockSpecSource source;

	private final LockFailurePolicy policy;

	/**
	 * Create an interceptor.
	 * @param source the specifications of guarded methods
	 * @param beanFactory where {@link LockFailureHandler}s come from
	 * @param listener is notified of calls without their lock
	 */
	public LockInterceptor(MethodLockSpecSource source, BeanFactory beanFactory, UnprotectedCallListener listener) {
		this.source = source;
		this.policy = new LockFailurePolicy(beanFactory, listener);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis());
		Class<?> targetClass = ClassUtils.getUserClass(AopUtils.getTargetClass(target));
		return GuardedCall.run(invocation, this.source.getSpec(invocation.getMethod(), targetClass), this.policy);
	}

}
