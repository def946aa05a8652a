package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.locks.Lock;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration, with its defaults on Lettuce. It renews leases if a scheduler is
 * set.
 *
 * @param registry its registry
 * @param connections the connections of the registry
 * @param scheduler the scheduler of renewals
 */
record SpringCandidate(RedisLockRegistry registry, LettuceConnectionFactory connections,
		ThreadPoolTaskScheduler scheduler) implements Candidate {

	static SpringCandidate of(Place place, RedisLockType type) {
		LettuceConnectionFactory connections = connections(place);
		RedisLockRegistry registry = new RedisLockRegistry(connections, "locks", place.lease());
		registry.setRedisLockType(type);
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		if (place.renewed()) {
			scheduler.initialize();
			registry.setRenewalTaskScheduler(scheduler);
		}
		return new SpringCandidate(registry, connections, scheduler);
	}

	/** Create connections as Spring Boot configures them without any property. */
	static LettuceConnectionFactory connections(Place place) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(place.host(), place.port());
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

	@Override
	public Lock lock(String key) {
		return this.registry.obtain(key);
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.scheduler.shutdown();
		this.connections.destroy();
	}

}
