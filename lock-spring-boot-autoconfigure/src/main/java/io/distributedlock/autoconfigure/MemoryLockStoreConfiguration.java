package io.distributedlock.autoconfigure;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.text.LockLog;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/**
 * The store in this process, only when chosen by name.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "store", havingValue = "memory")
final class MemoryLockStoreConfiguration {

	private static final LockLog logger = LockLog.of(MemoryLockStoreConfiguration.class);

	/** A class that a deployed application does not have. */
	private static final String TESTS = "org.springframework.test.context.TestContext";

	@Bean
	@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
	MemoryLockStore distributedLockStore(ResourceLoader resources) {
		if (!ClassUtils.isPresent(TESTS, resources.getClassLoader())) {
			logger.warn("distributed-lock.store is memory: locks exclude each other within this process only. "
					+ "Another instance of the application runs the same methods at the same time");
		}
		return new MemoryLockStore();
	}

}
