package io.distributedlock.autoconfigure;

import java.util.Map;
import java.util.stream.Collectors;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockObserver;
import io.distributedlock.leader.LeaderElection;
import io.distributedlock.observation.DefaultLockObservationConvention;
import io.distributedlock.observation.LeaderMeters;
import io.distributedlock.observation.LockMeters;
import io.distributedlock.observation.LockObservationConvention;
import io.distributedlock.observation.MeterLockObserver;
import io.distributedlock.observation.MicrometerLockObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration of observations and meters of the locks, for Micrometer.
 * Observations need an {@link ObservationRegistry}, meters need a {@link MeterRegistry}.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnBean(DefaultLockRegistry.class)
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "observation.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DistributedLockProperties.class)
public final class DistributedLockObservationAutoConfiguration {

	/**
	 * Observations of waits and holds, or timers alone where nothing else would come of
	 * them.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ObservationRegistry.class)
	@ConditionalOnBean(ObservationRegistry.class)
	static class ObservationConfiguration {

		private static final String METER_HANDLER = "io.micrometer.core.instrument.observation.DefaultMeterObservationHandler";

		@Bean
		@ConditionalOnMissingBean(LockObserver.class)
		LockObserver distributedLockObserver(ObservationRegistry registry,
				ObjectProvider<LockObservationConvention> conventions, DistributedLockProperties properties,
				ConfigurableListableBeanFactory beanFactory, Environment environment) {
			boolean includeKey = properties.observation().includeKey();
			if (!includeKey && ClassUtils.isPresent(METER_HANDLER, beanFactory.getBeanClassLoader())
					&& new ObservationUse(beanFactory, environment).isTimersOnly()) {
				return new MeterLockObserver(beanFactory.getBean(MeterRegistry.class));
			}
			return new MicrometerLockObserver(registry,
					conventions.getIfAvailable(() -> new DefaultLockObservationConvention(includeKey)));
		}

	}

	/** Meters of the statistics of the registries. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class MeterConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LockMeters distributedLockMeters(ListableBeanFactory beanFactory) {
			return new LockMeters(beanFactory.getBeansOfType(DefaultLockRegistry.class)
				.entrySet()
				.stream()
				.collect(Collectors.toMap(Map.Entry::getKey, (registry) -> registry.getValue().statistics())));
		}

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnBean(LeaderElection.class)
		LeaderMeters distributedLockLeaderMeters(ListableBeanFactory beanFactory) {
			return new LeaderMeters(beanFactory.getBeansOfType(LeaderElection.class).values());
		}

	}

}
