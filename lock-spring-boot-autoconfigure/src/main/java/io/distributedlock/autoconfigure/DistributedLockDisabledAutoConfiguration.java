package io.distributedlock.autoconfigure;

import io.distributedlock.aspectj.LockWeaving;
import io.distributedlock.text.LockLog;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Logs once that locking is switched off, since nothing else would show it.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "enabled", havingValue = "false")
public final class DistributedLockDisabledAutoConfiguration {

	private static final LockLog logger = LockLog.of(DistributedLockDisabledAutoConfiguration.class);

	DistributedLockDisabledAutoConfiguration() {
		logger.warn("Distributed locking is switched off by distributed-lock.enabled=false:"
				+ " methods annotated with @DistributedLock run without a lock");
	}

	@Bean
	static LockWeaving distributedLockWeavingSwitch() {
		return LockWeaving.passive();
	}

}
