package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.distributedlock.LockMode;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.event.LockObserver;
import io.distributedlock.interceptor.UnprotectedCallListener;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.distributedlock.store.LockStore;
import io.distributedlock.text.LockLog;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration of distributed locks. Registry, store and templates back off for a
 * bean of the same name only: a bean of another name is an additional one. The start may
 * wait some seconds for the store, but does not fail if it cannot be reached. This
 * auto-configuration comes late, so that {@linkplain LockStoreType stores} find the beans
 * of others.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import({ LockStoreTypeSelector.class, LockInterceptorConfiguration.class })
@ImportRuntimeHints(LockRuntimeHints.class)
public final class DistributedLockAutoConfiguration {

	private static final LockLog logger = LockLog.of(DistributedLockAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean
	LockProfiles distributedLockProfiles(DistributedLockProperties properties) {
		return LockProfilesFactory.create(properties);
	}

	@Bean
	@ConditionalOnMissingBean(name = LockBeanNames.REGISTRY)
	DefaultLockRegistry distributedLockRegistry(DistributedLockProperties properties, LockProfiles profiles,
			ObjectProvider<LockStoreType> types, ObjectProvider<LockStore> stores,
			ObjectProvider<LockEventListener> listeners, ObjectProvider<LockObserver> observers,
			ApplicationContext context, ConfigurableEnvironment environment) {
		LockStoreTypes choice = new LockStoreTypes(types, properties.store());
		choice.check();
		PropertyRules.spelling("advice", environment, properties.advice());
		UnusedVariables.warn(environment);
		EngineSettings settings = settings(properties);
		LockStore store = stores.getIfAvailable(() -> {
			throw choice.none();
		});
		choice.warnWithoutEffect(store, environment, context);
		DefaultLockRegistry registry = new DefaultLockRegistry(store, profiles, settings,
				new LockEventPublisher(listeners, context), observers.getIfAvailable());
		String name = InstanceName.of(properties, context.getEnvironment());
		InstanceName.announce(registry, name);
		logger.info("Distributed locks of this process are held by instance %s, which is %s"
			.formatted(registry.instance(), name));
		return registry;
	}

	static EngineSettings settings(DistributedLockProperties properties) {
		return PropertyRules.named(DistributedLockProperties.PREFIX + ".shutdown.",
				() -> EngineSettings.DEFAULTS.withShutdownGrace(properties.shutdown().gracePeriod())
					.withHandOff(properties.handOff())
					.withLeakDetection(properties.leakDetection()));
	}

	@Bean
	@ConditionalOnMissingBean(name = LockBeanNames.TEMPLATE)
	LockTemplate distributedLockTemplate(BeanFactory beanFactory, LockProfiles profiles) {
		return new LockTemplate(beanFactory.getBean(LockRegistry.class), profiles);
	}

	@Bean
	StoreCapabilityCheck distributedLockStoreCapabilityCheck(ListableBeanFactory beanFactory) {
		return new StoreCapabilityCheck(beanFactory);
	}

	@Bean
	static RegistryClosing distributedLockRegistryClosing() {
		return new RegistryClosing();
	}

	/**
	 * Look the registries up: an injected list lacks those that are no default
	 * candidates.
	 */
	@Bean
	@ConditionalOnMissingBean(name = "distributedLockLifecycle", search = SearchStrategy.CURRENT)
	LockShutdownLifecycle distributedLockLifecycle(ConfigurableApplicationContext context, RegistryClosing closing) {
		List<DefaultLockRegistry> registries = List.copyOf(context.getBeansOfType(DefaultLockRegistry.class).values());
		closing.add(registries);
		return new LockShutdownLifecycle(registries, context);
	}

	@Bean
	@ConditionalOnMissingBean
	UnprotectedCallListener distributedLockUnprotectedCallListener(ObjectProvider<LockEventListener> listeners,
			LockProfiles profiles, ApplicationContext context) {
		LockEventPublisher publisher = new LockEventPublisher(listeners, context);
		return (request, cause) -> {
			LockMode mode = Objects.requireNonNull(profiles.resolve(request.name(), request.options()).mode());
			request.keys()
				.forEach((key) -> publisher.onLockEvent(new LockEvent.Unprotected(request.name(), key, mode, cause)));
		};
	}

	/** Locks for reactive sequences, where there is Reactor. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Mono.class)
	static class ReactiveConfiguration {

		@Bean
		@ConditionalOnMissingBean(name = LockBeanNames.REACTIVE_TEMPLATE)
		ReactiveLockTemplate distributedLockReactiveTemplate(BeanFactory beanFactory, LockProfiles profiles) {
			return new ReactiveLockTemplate(beanFactory.getBean(LockRegistry.class), profiles);
		}

	}

}
