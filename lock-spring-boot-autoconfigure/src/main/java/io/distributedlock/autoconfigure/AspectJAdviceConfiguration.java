package io.distributedlock.autoconfigure;

import io.distributedlock.LockProfiles;
import io.distributedlock.annotation.DistributedLockAnnotationParser;
import io.distributedlock.interceptor.CachingMethodLockSpecSource;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.interceptor.startup.WovenBeanCheck;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Guards annotated methods whose lock has been woven into them. No proxy is built, so
 * that no call takes the lock in two ways.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "advice", havingValue = "aspectj")
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class AspectJAdviceConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(MethodLockSpecSource.class)
	static CachingMethodLockSpecSource distributedLockSpecSource(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<LockProfiles> profiles) {
		return CachingMethodLockSpecSource.ofWoven(new DistributedLockAnnotationParser(), beanFactory,
				() -> profiles.getIfAvailable(() -> LockProfiles.DEFAULTS));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static WeavingSwitch distributedLockWeavingSwitch(ObjectProvider<LockInterceptor> interceptor) {
		return WeavingSwitch.on(interceptor::getObject);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static WovenBeanCheck distributedLockWovenBeanCheck(MethodLockSpecSource source) {
		return new WovenBeanCheck(source);
	}

}
