package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a {@link NoLockStoreException} and lists the ways out.
 */
final class NoLockStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoLockStoreException> {

	private static final String WAYS_OUT = """
			Do one of these:

			    - Add spring-boot-starter-data-redis and point spring.data.redis.* to your Redis.
			    - Where there are several RedisConnectionFactory beans, mark the one for locks as @Primary, or declare a \
			LockStore bean: new RedisLockStore(factory, RedisStoreSettings.DEFAULTS).
			    - For tests, or where there is only one process, set distributed-lock.store=memory.
			    - Declare a LockStore or a LockRegistry bean of your own.
			    - Set distributed-lock.enabled=false; annotated methods then run WITHOUT a lock.""";

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoLockStoreException cause) {
		return new FailureAnalysis("There is no store for distributed locks: " + cause.getMessage(), WAYS_OUT, cause);
	}

}
