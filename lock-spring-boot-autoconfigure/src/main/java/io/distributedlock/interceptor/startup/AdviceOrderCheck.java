package io.distributedlock.interceptor.startup;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;

import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import org.aopalliance.aop.Advice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns when the proxy of a guarded bean has the lock on the wrong side of another
 * advice. The right order is: asynchronous execution, retry, lock, transaction.
 *
 * @since 0.1.0
 */
public final class AdviceOrderCheck implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(AdviceOrderCheck.class);

	private static final String TRANSACTION = "TransactionInterceptor";

	private final Supplier<MethodLockSpecSource> source;

	/**
	 * Create a check.
	 * @param source the specifications of guarded methods, looked up when there is a
	 * guarded bean
	 */
	public AdviceOrderCheck(Supplier<MethodLockSpecSource> source) {
		this.source = source;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised
				&& Arrays.stream(advised.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance)) {
			check(advised.getAdvisors(), ClassUtils.getUserClass(AopUtils.getTargetClass(bean)), beanName);
		}
		return bean;
	}

	private void check(Advisor[] advisors, Class<?> targetClass, String beanName) {
		DistributedLockAdvisor lock = null;
		for (Advisor advisor : advisors) {
			String problem = (lock != null) ? problemInside(advisor, lock) : problemAround(advisor);
			if (problem != null && appliesToGuarded(advisor, targetClass)) {
				logger.warn("In bean '%s' (%s) %s %s. Change distributed-lock.order, or the order of that advice"
					.formatted(beanName, targetClass.getName(), advisor.getAdvice().getClass().getSimpleName(),
							problem));
			}
			lock = (advisor instanceof DistributedLockAdvisor found) ? found : lock;
		}
	}

	private static @Nullable String problemAround(Advisor advisor) {
		return isKind(advisor.getAdvice(), TRANSACTION)
				? "is around the lock, so the lock is taken inside the transaction and kept until it completes" : null;
	}

	private static @Nullable String problemInside(Advisor advisor, DistributedLockAdvisor lock) {
		if (isKind(advisor.getAdvice(), TRANSACTION) && advisor instanceof Ordered ordered
				&& ordered.getOrder() <= lock.getOrder()) {
			return "has the order of the lock, so their order is arbitrary";
		}
		if (isKind(advisor.getAdvice(), "Retry")) {
			return "is inside the lock, so all attempts are made under one lock";
		}
		return isKind(advisor.getAdvice(), "AsyncExecutionInterceptor")
				? "is inside the lock, so the lock is waited for on the thread of the caller" : null;
	}

	/** Compares names, because none of these has to be on the class path. */
	private static boolean isKind(Advice advice, String name) {
		for (Class<?> type = advice.getClass(); type != null; type = type.getSuperclass()) {
			if (type.getSimpleName().contains(name)) {
				return true;
			}
		}
		return false;
	}

	private boolean appliesToGuarded(Advisor advisor, Class<?> targetClass) {
		MethodLockSpecSource specs = this.source.get();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(targetClass)) {
			boolean applies = !(advisor instanceof PointcutAdvisor pointcut)
					|| pointcut.getPointcut().getMethodMatcher().matches(method, targetClass);
			if (applies && specs.getSpec(method, targetClass) != null) {
				return true;
			}
		}
		return false;
	}

}
