package io.distributedlock.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * The execution of a woven method as an invocation. Its clones can be proceeded more than
 * once and by several threads, which reactive results need.
 */
final class JoinPointInvocation implements ProxyMethodInvocation {

	private final ProceedingJoinPoint joinPoint;

	private final AdvicePosition position;

	private final Method method;

	private @Nullable Object[] arguments;

	private final Lock turns;

	private final Map<String, Object> attributes = new HashMap<>(0);

	JoinPointInvocation(ProceedingJoinPoint joinPoint, AdvicePosition position) {
		this(joinPoint, position, ((MethodSignature) joinPoint.getSignature()).getMethod(), joinPoint.getArgs(),
				new ReentrantLock());
	}

	private JoinPointInvocation(ProceedingJoinPoint joinPoint, AdvicePosition position, Method method,
			@Nullable Object[] arguments, Lock turns) {
		this.joinPoint = joinPoint;
		this.position = position;
		this.method = method;
		this.arguments = arguments;
		this.turns = turns;
	}

	/**
	 * A join point keeps the arguments in a field that all clones share, so they take
	 * turns. That is short: a reactive method only prepares its result.
	 */
	@Override
	public @Nullable Object proceed() throws Throwable {
		this.turns.lock();
		int before = this.position.take();
		try {
			return this.joinPoint.proceed(this.arguments);
		}
		finally {
			this.position.giveBack(before);
			this.turns.unlock();
		}
	}

	@Override
	public Method getMethod() {
		return this.method;
	}

	@Override
	@SuppressWarnings("NullAway") // arguments may be null, which the interface does not
									// say
	public Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public void setArguments(@Nullable Object... arguments) {
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
	public ProxyMethodInvocation invocableClone(@Nullable Object... arguments) {
		JoinPointInvocation clone = new JoinPointInvocation(this.joinPoint, this.position, this.method, arguments,
				this.turns);
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
