package io.distributedlock.autoconfigure;

import java.time.Clock;

import io.distributedlock.actuate.LeaderInfoContributor;
import io.distributedlock.leader.LeaderElection;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the roles that this instance leads, at the actuator endpoint
 * {@code info}.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = LeaderElectionAutoConfiguration.class)
@ConditionalOnClass({ InfoContributor.class, ConditionalOnEnabledInfoContributor.class })
@ConditionalOnEnabledInfoContributor("leader")
@ConditionalOnBean(LeaderElection.class)
public final class LeaderInfoAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LeaderInfoContributor distributedLockLeaderInfoContributor(ListableBeanFactory beanFactory) {
		return new LeaderInfoContributor(beanFactory.getBeansOfType(LeaderElection.class).values(), Clock.systemUTC());
	}

}
