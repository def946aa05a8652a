package io.distributedlock.autoconfigure;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.ReplicaAcks;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Configuration of the store on Redis. It finds the server by the configuration of the
 * application's connection factory, which it does not change.
 */
@Configuration(proxyBeanMethods = false)
final class RedisLockStoreConfiguration {

	private static final String NAME = "redis";

	@Bean
	LockStoreType distributedLockRedisStoreType(DistributedLockProperties properties, ResourceLoader resources) {
		return new RedisType(properties, resources.getClassLoader());
	}

	/** Return a missing library that all stores on Redis need, or {@code null}. */
	static LockStoreType.@Nullable Missing missingLibrary(@Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent("org.springframework.data.redis.connection.RedisConnectionFactory", classLoader)) {
			return new LockStoreType.Missing("Spring Data Redis is not on the class path",
					"Add spring-boot-starter-data-redis, and point spring.data.redis.* to your Redis");
		}
		if (!ClassUtils.isPresent("io.distributedlock.redis.RedisLockStore", classLoader)) {
			return new LockStoreType.Missing("lock-redis is not on the class path",
					"Add io.distributedlock:lock-redis, which lock-spring-boot-starter brings");
		}
		if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", classLoader)
				&& !ClassUtils.isPresent("redis.clients.jedis.Jedis", classLoader)) {
			return new LockStoreType.Missing("there is no driver for Redis on the class path",
					"Add io.lettuce:lettuce-core, which spring-boot-starter-data-redis brings, or redis.clients:jedis");
		}
		return null;
	}

	/** The store, if there is a connection factory. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockStore(NAME)
	@ConditionalOnClass({ RedisConnectionFactory.class, RedisLockStore.class })
	@ConditionalOnBean(RedisConnectionFactory.class)
	static class StoreConfiguration {

		@Bean
		@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
		RedisLockStore distributedLockStore(DistributedLockProperties properties,
				ObjectProvider<RedisConnectionFactory> factories, ConfigurableListableBeanFactory beanFactory) {
			RedisConnectionFactory factory = theOne(factories);
			RedisStoreSettings settings = settings(properties);
			if (properties.redis().driver() == DistributedLockProperties.Driver.JEDIS) {
				factory = new JedisForLocks(factory, beanFactory).factory(settings);
			}
			try {
				return new RedisLockStore(factory, settings);
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redis.replica-acks",
						settings.replicaAcks().count(),
						"needs the connection factory of Lettuce and found %s".formatted(factory.getClass().getName()),
						"Remove it, or use Lettuce: add io.lettuce:lettuce-core, and set "
								+ "spring.data.redis.client-type=lettuce where Jedis is there as well",
						ex);
			}
		}

		@Bean
		LockPermissionCheck distributedLockPermissionCheck(ObjectProvider<RedisLockStore> stores) {
			return new LockPermissionCheck(stores);
		}

		static RedisStoreSettings settings(DistributedLockProperties properties) {
			DistributedLockProperties.Redis redis = properties.redis();
			return PropertyRules.named(DistributedLockProperties.PREFIX + ".redis.",
					() -> new RedisStoreSettings(properties.keyPrefix(), redis.tokenRetention(), redis.commandTimeout(),
							redis.wakeUp() == DistributedLockProperties.WakeUp.SUBSCRIBE,
							new ReplicaAcks(redis.replicaAcks(), redis.replicaAcksTimeout()),
							redis.connection() == DistributedLockProperties.Connection.SHARED));
		}

		private static RedisConnectionFactory theOne(ObjectProvider<RedisConnectionFactory> factories) {
			try {
				return factories.getObject();
			}
			catch (NoUniqueBeanDefinitionException ex) {
				throw LockStoreTypes.missing(NAME, new LockStoreType.Missing(
						"there are several RedisConnectionFactory beans, %s, and none is primary"
							.formatted(ex.getBeanNamesFound()),
						"Mark the one for locks as @Primary, or declare a bean named distributedLockStore with it: "
								+ "new RedisLockStore(factory, RedisStoreSettings.DEFAULTS)"));
			}
		}

	}

	private record RedisType(DistributedLockProperties properties,
			@Nullable ClassLoader classLoader) implements LockStoreType {

		@Override
		public String name() {
			return NAME;
		}

		@Override
		public boolean includes(LockStore store) {
			return missingLibrary(this.classLoader) == null && store instanceof RedisLockStore;
		}

		@Override
		public Missing missing() {
			Missing library = missingLibrary(this.classLoader);
			return (library != null) ? library : new Missing("there is no RedisConnectionFactory bean",
					"Let Spring Boot make it: remove the exclusion of its auto-configuration for Redis, or, in a test "
							+ "of a slice, use @DataRedisTest. Otherwise declare it");
		}

		@Override
		public void refuseWhenChosen(String chosen) {
			int replicas = this.properties.redis().replicaAcks();
			if (replicas > 0) {
				throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redis.replica-acks",
						replicas, "cannot work with distributed-lock.store=" + chosen, "Remove it, or use store redis",
						null);
			}
			if (this.properties.redis().driver() != DistributedLockProperties.Driver.APPLICATION) {
				throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redis.driver", "jedis",
						"cannot work with distributed-lock.store=" + chosen, "Remove it, or use store redis", null);
			}
		}

	}

}
