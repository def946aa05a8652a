package io.distributedlock.interceptor;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
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

	/** As the source has them, by the method that is called. */
	private final Map<MethodClassKey, Optional<MethodLockSpec>> specs = new ConcurrentHashMap<>();

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
		MethodClassKey key = new MethodClassKey(invocation.getMethod(), targetClass);
		Optional<MethodLockSpec> spec = this.specs.get(key);
		if (spec == null) {
			spec = Optional.ofNullable(this.source.getSpec(invocation.getMethod(), targetClass));
			this.specs.put(key, spec);
		}
		return GuardedCall.run(invocation, spec.orElse(null), this.policy);
	}

}
