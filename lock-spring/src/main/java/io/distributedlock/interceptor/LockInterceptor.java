package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.annotation.ValueClassBridge;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
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

	/** The specifications of the source, by the method that is called. */
	private final Map<MethodClassKey, GuardedMethod> methods = new ConcurrentHashMap<>();

	/**
	 * Create an interceptor.
	 * @param source the specifications of guarded methods
	 * @param beanFactory the bean factory with the {@link LockFailureHandler}s
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
		GuardedMethod method = this.methods.get(key);
		if (method == null) {
			method = find(invocation.getMethod(), targetClass);
			this.methods.put(key, method);
		}
		return (method.bridge == null) ? GuardedCall.run(invocation, method.spec, this.policy)
				: invokeBridge(invocation, method.spec, method.bridge);
	}

	private GuardedMethod find(Method method, Class<?> targetClass) {
		MethodLockSpec spec = this.source.getSpec(method, targetClass);
		return new GuardedMethod(spec, (spec != null) ? ValueClassBridge.of(method, targetClass) : null);
	}

	/** Run a bridge. If it is woven, so is the function, which takes the lock. */
	private @Nullable Object invokeBridge(MethodInvocation invocation, @Nullable MethodLockSpec spec,
			ValueClassBridge bridge) throws Throwable {
		return (((ProxyMethodInvocation) invocation).getProxy() == invocation.getThis()) ? invocation.proceed()
				: bridge.box(GuardedCall.run(BridgedInvocation.of(invocation, bridge, this), spec, this.policy));
	}

	/**
	 * A method that is called.
	 *
	 * @param spec the outermost lock, {@code null} if it has none
	 * @param bridge the bridge, {@code null} if the method is no bridge for a value class
	 */
	private record GuardedMethod(@Nullable MethodLockSpec spec, @Nullable ValueClassBridge bridge) {
	}

}
