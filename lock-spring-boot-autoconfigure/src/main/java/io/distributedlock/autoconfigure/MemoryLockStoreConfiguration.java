package io.distributedlock.autoconfigure;

import io.distributedlock.memory.MemoryLockStore;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The store in this process, only when chosen by name.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "store", havingValue = "memory")
final class MemoryLockStoreConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
	MemoryLockStore distributedLockStore(DistributedLockProperties properties) {
		PropertyRules.noReplicas(DistributedLockProperties.PREFIX + ".redis.replica-acks",
				properties.redis().replicaAcks(), "memory");
		return new MemoryLockStore();
	}

}
