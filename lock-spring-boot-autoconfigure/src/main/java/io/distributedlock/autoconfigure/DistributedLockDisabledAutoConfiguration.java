package io.distributedlock.autoconfigure;

import io.distributedlock.aspectj.LockWeaving;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.text.LockLog;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Logs once that locking is switched off, since nothing else would show it. An
 * application that was processed ahead of time has this bean whatever is set when it
 * starts: it does not start with another value than that of its build.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty(prefix = DistributedLockProperties.PREFIX, name = "enabled", havingValue = "false")
public final class DistributedLockDisabledAutoConfiguration {

	private static final LockLog logger = LockLog.of(DistributedLockDisabledAutoConfiguration.class);

	DistributedLockDisabledAutoConfiguration(Environment environment) {
		String enabled = environment.getProperty(DistributedLockProperties.PREFIX + ".enabled", "true");
		if (!enabled.equalsIgnoreCase("false")) {
			throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".enabled", enabled,
					"has no effect: this application was processed ahead of time (AOT) with false, so its methods would "
							+ "run without their locks",
					"Process it with the value that it is started with, or start it with false", null);
		}
		logger.warn("Distributed locking is switched off by distributed-lock.enabled=false:"
				+ " methods annotated with @DistributedLock run without a lock");
	}

	@Bean
	static LockWeaving distributedLockWeavingSwitch() {
		return LockWeaving.passive();
	}

}
