package io.distributedlock.autoconfigure;

import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.actuate.LockHealthIndicator;
import io.distributedlock.actuate.LockSource;
import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health of the locks. Before Spring Boot 4 health has other
 * packages, and there is none.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("locks")
@ConditionalOnBean(DefaultLockRegistry.class)
public final class LockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "locksHealthIndicator", "locksHealthContributor" })
	HealthContributor locksHealthContributor(ListableBeanFactory beanFactory) {
		List<LockSource> sources = LockSources.of(beanFactory);
		Map<String, LockHealthIndicator> indicators = new LinkedHashMap<>();
		sources.forEach((source) -> indicators.put(source.name(), new LockHealthIndicator(source, Clock.systemUTC())));
		return (sources.size() == 1) ? indicators.values().iterator().next()
				: CompositeHealthContributor.fromMap(indicators);
	}

}
