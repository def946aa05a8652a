package io.distributedlock.interceptor.internal;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * The {@code #root} of the expressions of a guarded method. Immutable; public because
 * compiled expressions read it.
 *
 * @since 0.1.0
 */
public final class LockCallRoot {

	private final Method method;

	private final Class<?> targetClass;

	private final Object target;

	private final @Nullable Object[] args;

	/**
	 * Create the root of a call.
	 * @param method the guarded method
	 * @param targetClass the class of the bean
	 * @param target the bean
	 * @param args the arguments
	 */
	public LockCallRoot(Method method, Class<?> targetClass, Object target, @Nullable Object[] args) {
		this.method = method;
		this.targetClass = targetClass;
		this.target = target;
		this.args = args;
	}

	/**
	 * The guarded method.
	 * @return the method of the target class
	 */
	public Method getMethod() {
		return this.method;
	}

	/**
	 * The name of the guarded method.
	 * @return the name without parameters
	 */
	public String getMethodName() {
		return this.method.getName();
	}

	/**
	 * The class of the bean.
	 * @return the class without proxies
	 */
	public Class<?> getTargetClass() {
		return this.targetClass;
	}

	/**
	 * The bean.
	 * @return the object behind the proxy
	 */
	public Object getTarget() {
		return this.target;
	}

	/**
	 * The arguments of the call.
	 * @return a value for each parameter
	 */
	public @Nullable Object[] getArgs() {
		return this.args;
	}

}
