package io.distributedlock.autoconfigure;

import io.distributedlock.LeaseTransactionListener;
import io.distributedlock.LockProfiles;
import io.distributedlock.annotation.DistributedLockAnnotationParser;
import io.distributedlock.interceptor.AdviceOrderCheck;
import io.distributedlock.interceptor.CachingMethodLockSpecSource;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.GuardedMethodsReport;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.interceptor.UnprotectedCallListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Guards annotated methods. The beans are created before all others, so they are static,
 * infrastructure, and ask for configuration and registries only when they need them.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockAutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockInterceptorConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(MethodLockSpecSource.class)
	static CachingMethodLockSpecSource distributedLockSpecSource(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<LockProfiles> profiles) {
		return new CachingMethodLockSpecSource(new DistributedLockAnnotationParser(), beanFactory,
				() -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockInterceptor distributedLockInterceptor(MethodLockSpecSource source,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<LockProfiles> profiles,
			ObjectProvider<UnprotectedCallListener> listeners) {
		return new LockInterceptor(source, beanFactory, () -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS),
				(request, cause) -> listeners.orderedStream()
					.forEach((listener) -> listener.onUnprotectedCall(request, cause)));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static DistributedLockAdvisor distributedLockAdvisor(MethodLockSpecSource source, LockInterceptor interceptor,
			Environment environment) {
		int order = environment.getProperty("distributed-lock.order", Integer.class,
				DistributedLockAdvisor.DEFAULT_ORDER);
		return new DistributedLockAdvisor(source, interceptor, order);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static AdviceOrderCheck distributedLockAdviceOrderCheck(ObjectProvider<MethodLockSpecSource> source) {
		return new AdviceOrderCheck(source::getObject);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static GuardedMethodsReport distributedLockGuardedMethodsReport(ObjectProvider<MethodLockSpecSource> source,
			ApplicationContext context) {
		return new GuardedMethodsReport(source::getObject, context);
	}

	/** Spring Boot adds the listener to the transaction managers. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.transaction.TransactionExecutionListener")
	static class TransactionConfiguration {

		@Bean
		@ConditionalOnMissingBean
		static LeaseTransactionListener distributedLockTransactionListener() {
			return new LeaseTransactionListener();
		}

	}

}
