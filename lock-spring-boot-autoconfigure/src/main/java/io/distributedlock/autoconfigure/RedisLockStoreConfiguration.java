package io.distributedlock.autoconfigure;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.ReplicaAcks;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The store on what the application's own connection factory is configured for. The
 * factory itself is used as it is.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnBean(RedisConnectionFactory.class)
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "store", havingValue = "redis",
		matchIfMissing = true)
final class RedisLockStoreConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
	RedisLockStore distributedLockStore(DistributedLockProperties properties,
			ObjectProvider<RedisConnectionFactory> factories) {
		RedisConnectionFactory factory = theOne(factories);
		RedisStoreSettings settings = settings(properties);
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

	private static RedisConnectionFactory theOne(ObjectProvider<RedisConnectionFactory> factories) {
		try {
			return factories.getObject();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw DistributedLockAutoConfiguration.noStore(DistributedLockProperties.Store.REDIS,
					"there are several RedisConnectionFactory beans, %s, and none is primary"
						.formatted(ex.getBeanNamesFound()),
					"Mark the one for locks as @Primary, or declare a bean named distributedLockStore with it: "
							+ "new RedisLockStore(factory, RedisStoreSettings.DEFAULTS)");
		}
	}

	static RedisStoreSettings settings(DistributedLockProperties properties) {
		DistributedLockProperties.Redis redis = properties.redis();
		return PropertyRules.named(DistributedLockProperties.PREFIX + ".redis.",
				() -> new RedisStoreSettings(properties.keyPrefix(), redis.tokenRetention(), redis.commandTimeout(),
						redis.wakeUp() == DistributedLockProperties.WakeUp.SUBSCRIBE,
						new ReplicaAcks(redis.replicaAcks(), redis.replicaAcksTimeout()),
						redis.connection() == DistributedLockProperties.Connection.SHARED));
	}

}
