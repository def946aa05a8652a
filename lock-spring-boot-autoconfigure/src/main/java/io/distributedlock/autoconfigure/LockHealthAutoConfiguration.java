package io.distributedlock.autoconfigure;

import java.time.Clock;

import io.distributedlock.actuate.LockHealthIndicator;
import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the health of the locks. Only with Spring Boot 4: before, the
 * classes for health are in other packages.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("locks")
@ConditionalOnBean(DefaultLockRegistry.class)
public final class LockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "locksHealthIndicator", "locksHealthContributor" })
	LockHealthIndicator locksHealthIndicator(ListableBeanFactory beanFactory) {
		return new LockHealthIndicator(LockSources.of(beanFactory), Clock.systemUTC());
	}

}
