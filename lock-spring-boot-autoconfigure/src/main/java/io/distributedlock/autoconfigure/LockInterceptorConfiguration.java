package io.distributedlock.autoconfigure;

import io.distributedlock.LeaseTransactionListener;
import io.distributedlock.LockProfiles;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.interceptor.UnprotectedCallListener;
import io.distributedlock.interceptor.startup.GuardedMethodsReport;
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

/**
 * Guards annotated methods. The beans are created before all others, so they are static,
 * infrastructure, and ask for configuration and registries only when they need them.
 */
@Configuration(proxyBeanMethods = false)
@Import({ ProxyAdviceConfiguration.class, AspectJAdviceConfiguration.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockInterceptorConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockInterceptor distributedLockInterceptor(MethodLockSpecSource source,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<UnprotectedCallListener> listeners) {
		return new LockInterceptor(source, beanFactory, (request, cause) -> listeners.orderedStream()
			.forEach((listener) -> listener.onUnprotectedCall(request, cause)));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static GuardedMethodsReport distributedLockGuardedMethodsReport(ObjectProvider<MethodLockSpecSource> source,
			ObjectProvider<LockProfiles> profiles, ApplicationContext context) {
		return new GuardedMethodsReport(source::getObject, () -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS),
				context);
	}

	/**
	 * Spring Boot adds the listener to the transaction managers that it makes itself, the
	 * post-processor to all others.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.transaction.TransactionExecutionListener")
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class TransactionConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		@ConditionalOnMissingBean
		static LeaseTransactionListener distributedLockTransactionListener() {
			return new LeaseTransactionListener();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static TransactionListenerPostProcessor distributedLockTransactionListenerPostProcessor(
				ConfigurableListableBeanFactory beanFactory) {
			return new TransactionListenerPostProcessor(beanFactory);
		}

	}

}
