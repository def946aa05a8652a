package io.distributedlock.autoconfigure;

import io.distributedlock.LockRegistry;
import io.distributedlock.shedlock.RegistryLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the lock provider for ShedLock, where {@code lock-shedlock} is on
 * the class path. Any lock provider of the application takes its place.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ LockProvider.class, RegistryLockProvider.class })
@ConditionalOnBean(LockRegistry.class)
public final class ShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	RegistryLockProvider distributedLockProvider(BeanFactory beanFactory) {
		return new RegistryLockProvider(beanFactory.getBean(LockRegistry.class));
	}

}
