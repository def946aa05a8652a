package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.LockRegistry;
import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.leader.event.LeadershipEventPublisher;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of elections: {@link LeaderElections} to make them, which publish
 * events. {@link LeaderElection} beans are started and stopped with the context.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(LockRegistry.class)
public final class LeaderElectionAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LeaderElections distributedLockLeaderElections(BeanFactory beanFactory, ApplicationContext context) {
		return new LeaderElections(beanFactory.getBean(LockRegistry.class),
				List.of(new LeadershipEventPublisher(context)));
	}

	@Bean
	LeaderLifecycle distributedLockLeaderLifecycle(ListableBeanFactory beanFactory) {
		return new LeaderLifecycle(beanFactory);
	}

}
