package io.distributedlock.autoconfigure;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.text.LockLog;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/**
 * Configuration of the store in this process, only if chosen by name.
 */
@Configuration(proxyBeanMethods = false)
final class MemoryLockStoreConfiguration {

	private static final LockLog logger = LockLog.of(MemoryLockStoreConfiguration.class);

	/** A class that a deployed application does not have. */
	private static final String TESTS = "org.springframework.test.context.TestContext";

	private static final String NAME = "memory";

	@Bean
	LockStoreType distributedLockMemoryStoreType() {
		return new MemoryType();
	}

	@Bean
	@ConditionalOnLockStore(NAME)
	@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
	MemoryLockStore distributedLockStore(ResourceLoader resources) {
		if (!ClassUtils.isPresent(TESTS, resources.getClassLoader())) {
			logger.warn("distributed-lock.store is memory: locks exclude each other within this process only. "
					+ "Another instance of the application runs the same methods at the same time");
		}
		return new MemoryLockStore();
	}

	private static final class MemoryType implements LockStoreType {

		@Override
		public String name() {
			return NAME;
		}

		@Override
		public boolean includes(LockStore store) {
			return store instanceof MemoryLockStore;
		}

		@Override
		public Missing missing() {
			return new Missing("another bean has its name", "Name that bean otherwise");
		}

	}

}
