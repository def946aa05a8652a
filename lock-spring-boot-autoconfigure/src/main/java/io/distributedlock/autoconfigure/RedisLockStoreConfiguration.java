package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockOptions;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.autoconfigure.diagnostics.NoLockStoreException;
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
import org.springframework.core.env.Environment;
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

	private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);

	private static final Duration MIN_RETENTION = Duration.ofSeconds(1);

	@Bean
	@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
	RedisLockStore distributedLockStore(DistributedLockProperties properties,
			ObjectProvider<RedisConnectionFactory> factories) {
		PropertyRules.noNodes(properties);
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
	LockPermissionCheck distributedLockPermissionCheck(ObjectProvider<RedisLockStore> stores, Environment environment) {
		return new LockPermissionCheck(stores,
				environment.getProperty("spring.data.redis.ssl.enabled", Boolean.class, false));
	}

	private static RedisConnectionFactory theOne(ObjectProvider<RedisConnectionFactory> factories) {
		try {
			return factories.getObject();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new NoLockStoreException(
					"there are several RedisConnectionFactory beans, %s, and none is primary."
						.formatted(ex.getBeanNamesFound()),
					"Mark the one for locks as @Primary, or declare a bean named distributedLockStore with it: "
							+ "new RedisLockStore(factory, RedisStoreSettings.DEFAULTS).");
		}
	}

	static RedisStoreSettings settings(DistributedLockProperties properties) {
		DistributedLockProperties.Redis redis = properties.redis();
		String prefix = DistributedLockProperties.PREFIX + ".";
		return new RedisStoreSettings(PropertyRules.prefix(prefix + "key-prefix", properties.keyPrefix()),
				PropertyRules.between(prefix + "redis.token-retention", redis.tokenRetention(), MIN_RETENTION,
						LockOptions.MAX_TTL),
				PropertyRules.between(prefix + "redis.command-timeout", redis.commandTimeout(), MIN_TIMEOUT,
						LockOptions.MAX_TTL),
				redis.wakeUp() == DistributedLockProperties.WakeUp.SUBSCRIBE, replicaAcks(prefix + "redis.", redis),
				redis.connection() == DistributedLockProperties.Connection.SHARED);
	}

	private static ReplicaAcks replicaAcks(String prefix, DistributedLockProperties.Redis redis) {
		int count = PropertyRules.replicas(prefix + "replica-acks", redis.replicaAcks());
		String property = prefix + "replica-acks-timeout";
		Duration timeout = PropertyRules.between(property, redis.replicaAcksTimeout(), MIN_TIMEOUT,
				LockOptions.MAX_TTL);
		return new ReplicaAcks(count, (count == 0) ? timeout
				: PropertyRules.shorterThan(property, timeout, prefix + "command-timeout", redis.commandTimeout()));
	}

}
