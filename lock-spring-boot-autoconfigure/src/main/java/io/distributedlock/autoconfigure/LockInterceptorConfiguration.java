package io.distributedlock.autoconfigure;

import io.distributedlock.transaction.LeaseTransactionListener;
import io.distributedlock.LockProfiles;
import io.distributedlock.aspectj.LockWeaving;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.GuardedBeansCheck;
import io.distributedlock.interceptor.GuardedMethodsReport;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.interceptor.UnprotectedCallListener;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Configuration of the interceptor for annotated methods. Its beans are created before
 * all others. So they are static and infrastructure, and look configuration and
 * registries up only when they need them. A child context has its own copy of these
 * beans, since those of the parent context do not apply to beans of the child. Registry
 * and store are shared with the parent.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockInterceptorConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockInterceptor distributedLockInterceptor(MethodLockSpecSource source,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<UnprotectedCallListener> listeners) {
		return new LockInterceptor(source, beanFactory, (request, cause) -> listeners.orderedStream()
			.forEach((listener) -> listener.onUnprotectedCall(request, cause)));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardedBeansCheck distributedLockGuardedBeansCheck(MethodLockSpecSource source,
			ConfigurableListableBeanFactory beanFactory) {
		return new GuardedBeansCheck(source, beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static GuardedMethodsReport distributedLockGuardedMethodsReport(ObjectProvider<MethodLockSpecSource> source,
			ObjectProvider<LockProfiles> profiles, ApplicationContext context) {
		return new GuardedMethodsReport(source::getObject, () -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS),
				context);
	}

	/** Guards annotated methods through the proxies of their beans. */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnAnythingElse.class)
	@Import(AutoProxyRegistrar.class)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class ProxyConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static MethodLockSpecSource distributedLockSpecSource(ConfigurableListableBeanFactory beanFactory,
				ObjectProvider<LockProfiles> profiles) {
			return MethodLockSpecSource.ofProxied(beanFactory,
					() -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS));
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
		static DistributedLockAdvisor distributedLockAdvisor(MethodLockSpecSource source, LockInterceptor interceptor,
				Environment environment) {
			BindResult<Integer> order = Binder.get(environment)
				.bind(DistributedLockProperties.PREFIX + ".order", Integer.class);
			return new DistributedLockAdvisor(source, interceptor,
					order.isBound() ? order.get() : DistributedLockAdvisor.DEFAULT_ORDER);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockWeaving distributedLockWeavingSwitch() {
			return LockWeaving.passive();
		}

	}

	/**
	 * Matches also an unknown value, for which binding the properties has the better
	 * message.
	 */
	static final class OnAnythingElse extends NoneNestedConditions {

		OnAnythingElse() {
			super(ConfigurationPhase.PARSE_CONFIGURATION);
		}

		@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "advice", havingValue = "aspectj")
		static final class OnAspectJ {

		}

	}

	/**
	 * Registers the auto-proxy creator for infrastructure advisors, so that methods are
	 * guarded also with {@code spring.aop.auto=false} and without AspectJ.
	 */
	static class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		AutoProxyRegistrar(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

	/**
	 * Guards annotated methods by code that AspectJ has woven into them. Builds no proxy,
	 * so that no call takes its lock twice.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "advice", havingValue = "aspectj")
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class AspectJConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static MethodLockSpecSource distributedLockSpecSource(ConfigurableListableBeanFactory beanFactory,
				ObjectProvider<LockProfiles> profiles) {
			return MethodLockSpecSource.ofWoven(beanFactory,
					() -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS));
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockWeaving distributedLockWeavingSwitch(ObjectProvider<LockInterceptor> interceptor) {
			return LockWeaving.active(interceptor::getObject);
		}

	}

	/**
	 * Adds a listener to transaction managers: Spring Boot does so for its own ones, the
	 * post-processor for all others.
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
