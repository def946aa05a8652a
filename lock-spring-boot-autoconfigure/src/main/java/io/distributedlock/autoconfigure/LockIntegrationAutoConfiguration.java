package io.distributedlock.autoconfigure;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.integration.IntegrationLockRegistry;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Auto-configuration of Spring Integration's registry of locks, where
 * {@code lock-spring-integration} and Spring Integration 7 are. Backs off for any
 * registry of Spring Integration that the application has.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ IntegrationLockRegistry.class, DistributedLock.class })
@ConditionalOnBean(LockRegistry.class)
public final class LockIntegrationAutoConfiguration {

	/** The namespace of the keys, and the name of their profile. */
	private static final String NAME = "spring-integration";

	@Bean
	@ConditionalOnMissingBean(org.springframework.integration.support.locks.LockRegistry.class)
	IntegrationLockRegistry distributedLockIntegrationRegistry(BeanFactory beanFactory,
			ObjectProvider<LockProfiles> profiles) {
		LockRegistry registry = beanFactory.getBean(LockRegistry.class);
		LockProfiles configured = profiles.getIfAvailable();
		return (configured != null) ? new IntegrationLockRegistry(registry, configured, NAME)
				: new IntegrationLockRegistry(registry, NAME);
	}

}
