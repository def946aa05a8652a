package io.distributedlock.autoconfigure;

import io.distributedlock.LockProfiles;
import io.distributedlock.annotation.DistributedLockAnnotationParser;
import io.distributedlock.interceptor.CachingMethodLockSpecSource;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.interceptor.startup.AdviceOrderCheck;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Guards annotated methods through the proxies of their beans. */
@Configuration(proxyBeanMethods = false)
@Conditional(ProxyAdviceConfiguration.OnAnythingElse.class)
@Import(LockAutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class ProxyAdviceConfiguration {

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
	static DistributedLockAdvisor distributedLockAdvisor(MethodLockSpecSource source, LockInterceptor interceptor,
			Environment environment) {
		int order = PropertyRules.wholeNumber("distributed-lock.order", environment,
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
	static WeavingSwitch distributedLockWeavingSwitch() {
		return WeavingSwitch.off();
	}

	/** Also with a value that does not exist: the properties have the better message. */
	static final class OnAnythingElse extends NoneNestedConditions {

		OnAnythingElse() {
			super(ConfigurationPhase.PARSE_CONFIGURATION);
		}

		@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "advice", havingValue = "aspectj")
		static final class OnAspectJ {

		}

	}

}
