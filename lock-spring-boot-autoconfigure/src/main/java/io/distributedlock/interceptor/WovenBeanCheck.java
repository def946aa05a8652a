package io.distributedlock.interceptor;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Checks the declarations of beans whose lock is woven in, as the pointcut of the proxies
 * does for others: a mistake stops the start, not the first call.
 *
 * @since 0.1.0
 */
public final class WovenBeanCheck implements BeanPostProcessor {

	private final MethodLockSpecSource source;

	/**
	 * Create a check.
	 * @param source the specifications of guarded methods
	 */
	public WovenBeanCheck(MethodLockSpecSource source) {
		this.source = source;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		this.source.isCandidateClass(AopUtils.getTargetClass(bean));
		return bean;
	}

}
