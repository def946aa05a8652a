package io.distributedlock.autoconfigure;

import java.time.Clock;

import io.distributedlock.actuate.LeaderHealthIndicator;
import io.distributedlock.leader.LeaderElection;

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
 * Auto-configuration of the roles that this instance leads, as details of the health.
 * Only with Spring Boot 4: before, the classes for health are in other packages.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = LeaderElectionAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("leader")
@ConditionalOnBean(LeaderElection.class)
public final class LeaderHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "leaderHealthIndicator", "leaderHealthContributor" })
	LeaderHealthIndicator leaderHealthIndicator(ListableBeanFactory beanFactory) {
		return new LeaderHealthIndicator(beanFactory.getBeansOfType(LeaderElection.class).values(), Clock.systemUTC());
	}

}
