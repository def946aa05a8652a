package io.distributedlock.benchmarks.comparison;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock, with its defaults: it deletes the key without a comparison of the owner.
 *
 * @param provider its provider
 * @param connections the connections of the provider
 * @param lease the lease of a lock
 */
record ShedLockCandidate(RedisLockProvider provider, LettuceConnectionFactory connections,
		Duration lease) implements Candidate {

	static ShedLockCandidate of(Place place) {
		LettuceConnectionFactory connections = SpringCandidate.connections(place);
		return new ShedLockCandidate(new RedisLockProvider(connections), connections, place.lease());
	}

	@Override
	public Lock lock(String key) {
		return lock(this.provider, key, this.lease);
	}

	/** Return a lock of any provider. */
	static Lock lock(LockProvider provider, String key, Duration lease) {
		return new CallerLock() {

			private Optional<SimpleLock> held = Optional.empty();

			@Override
			public void lock() {
				this.held = provider.lock(new LockConfiguration(Instant.now(), key, lease, Duration.ZERO));
				requireTaken(this.held.isPresent(), key);
			}

			@Override
			public void unlock() {
				this.held.orElseThrow().unlock();
			}

		};
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
