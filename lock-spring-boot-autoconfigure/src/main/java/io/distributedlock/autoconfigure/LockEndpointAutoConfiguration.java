package io.distributedlock.autoconfigure;

import io.distributedlock.LockProfiles;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksEndpointWebExtension;
import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Auto-configuration of the actuator endpoint {@code locks}.
 *
 * @since 0.1.0
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
@ConditionalOnBean(DefaultLockRegistry.class)
@EnableConfigurationProperties(LockEndpointProperties.class)
public final class LockEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint distributedLockEndpoint(ListableBeanFactory beanFactory, ObjectProvider<LockProfiles> profiles,
			LockEndpointProperties properties, ConfigurableEnvironment environment,
			ApplicationEventPublisher publisher) {
		ProfileReport report = new ProfileReport(profiles.getIfAvailable(), environment);
		return new LocksEndpoint(LockSources.of(beanFactory), report, properties.showKeys(), properties.roles(),
				publisher);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension distributedLockEndpointWebExtension(LocksEndpoint endpoint) {
		return new LocksEndpointWebExtension(endpoint);
	}

}
