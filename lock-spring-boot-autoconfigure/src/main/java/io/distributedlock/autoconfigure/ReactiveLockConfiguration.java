package io.distributedlock.autoconfigure;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.reactive.ReactiveLockTemplate;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Locks for reactive sequences, where there is Reactor. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Mono.class)
class ReactiveLockConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = LockBeanNames.REACTIVE_TEMPLATE)
	ReactiveLockTemplate distributedLockReactiveTemplate(BeanFactory beanFactory, LockProfiles profiles) {
		return new ReactiveLockTemplate(beanFactory.getBean(LockRegistry.class), profiles);
	}

}
