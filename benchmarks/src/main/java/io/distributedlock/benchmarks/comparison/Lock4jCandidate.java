package io.distributedlock.benchmarks.comparison;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j on {@code RedisTemplate}, with its defaults except for a longer wait.
 *
 * @param template its template
 * @param connections the connections of the template
 * @param leaseMillis the lease of a lock
 */
record Lock4jCandidate(LockTemplate template, LettuceConnectionFactory connections,
		long leaseMillis) implements Candidate {

	private static final long WAIT_MILLIS = TimeUnit.MINUTES.toMillis(10);

	static Lock4jCandidate of(Place place) throws Exception {
		LettuceConnectionFactory connections = SpringCandidate.connections(place);
		Lock4jProperties properties = new Lock4jProperties();
		LockTemplate template = new LockTemplate();
		template.setProperties(properties);
		template.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(connections), properties)));
		template.afterPropertiesSet();
		return new Lock4jCandidate(template, connections, place.lease().toMillis());
	}

	@Override
	public Lock lock(String key) {
		return new CallerLock() {

			private @Nullable LockInfo held;

			@Override
			public void lock() {
				this.held = Lock4jCandidate.this.template.lock(key, Lock4jCandidate.this.leaseMillis, WAIT_MILLIS);
				requireTaken(this.held != null, key);
			}

			@Override
			public void unlock() {
				requireTaken(Lock4jCandidate.this.template.releaseLock(this.held), key);
			}

		};
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
