package io.distributedlock.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * The execution of a woven method, as the interceptor wants to see it. Can be proceeded
 * more than once by way of clones, as reactive results need it.
 */
final class JoinPointInvocation implements ProxyMethodInvocation {

	private final ProceedingJoinPoint joinPoint;

	private final Method method;

	private Object[] arguments;

	private final Map<String, Object> attributes = new HashMap<>(0);

	JoinPointInvocation(ProceedingJoinPoint joinPoint) {
		this(joinPoint, ((MethodSignature) joinPoint.getSignature()).getMethod(), joinPoint.getArgs());
	}

	private JoinPointInvocation(ProceedingJoinPoint joinPoint, Method method, Object[] arguments) {
		this.joinPoint = joinPoint;
		this.method = method;
		this.arguments = arguments;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		return this.joinPoint.proceed(this.arguments);
	}

	@Override
	public Method getMethod() {
		return this.method;
	}

	@Override
	public Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public void setArguments(Object... arguments) {
		this.arguments = arguments;
	}

	@Override
	public Object getThis() {
		return this.joinPoint.getThis();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return this.method;
	}

	@Override
	public Object getProxy() {
		return this.joinPoint.getThis();
	}

	@Override
	public ProxyMethodInvocation invocableClone() {
		return invocableClone(this.arguments.clone());
	}

	@Override
	public ProxyMethodInvocation invocableClone(Object... arguments) {
		JoinPointInvocation clone = new JoinPointInvocation(this.joinPoint, this.method, arguments);
		clone.attributes.putAll(this.attributes);
		return clone;
	}

	@Override
	public void setUserAttribute(String key, @Nullable Object value) {
		if (value != null) {
			this.attributes.put(key, value);
		}
		else {
			this.attributes.remove(key);
		}
	}

	@Override
	public @Nullable Object getUserAttribute(String key) {
		return this.attributes.get(key);
	}

}
