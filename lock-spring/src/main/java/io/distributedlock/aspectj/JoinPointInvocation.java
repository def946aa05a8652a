package io.distributedlock.aspectj;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ReflectiveMethodInvocation;

/**
 * The execution of a woven method as an invocation without interceptors. Its clones can
 * be proceeded more than once and by several threads, which reactive results need.
 */
final class JoinPointInvocation extends ReflectiveMethodInvocation {

	private final ProceedingJoinPoint joinPoint;

	private final AdvicePosition position;

	private final Lock turns = new ReentrantLock();

	JoinPointInvocation(ProceedingJoinPoint joinPoint, AdvicePosition position) {
		super(joinPoint.getThis(), joinPoint.getThis(), method(joinPoint), joinPoint.getArgs(), null, List.of());
		this.joinPoint = joinPoint;
		this.position = position;
	}

	private static Method method(ProceedingJoinPoint joinPoint) {
		return ((MethodSignature) joinPoint.getSignature()).getMethod();
	}

	/**
	 * A join point keeps the arguments in a field that all clones share, so the clones
	 * take turns. A turn is short: a reactive method only prepares its result.
	 */
	@Override
	protected @Nullable Object invokeJoinpoint() throws Throwable {
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

}
