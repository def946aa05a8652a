package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson, with its defaults. A lock that is taken without a lease time is renewed.
 *
 * @param client the client
 * @param locks returns the lock of a key
 * @param owners the numbers of owners that have no thread
 */
record RedissonCandidate(RedissonClient client, BiFunction<RedissonClient, String, RLock> locks,
		AtomicLong owners) implements Candidate {

	/** A number that no thread has. */
	private static final long FIRST_OWNER = 1L << 40;

	static RedissonCandidate of(Place place, BiFunction<RedissonClient, String, RLock> locks) {
		Config config = new Config();
		config.setLockWatchdogTimeout(place.lease().toMillis());
		config.useSingleServer().setAddress("redis://" + place.host() + ":" + place.port());
		return new RedissonCandidate(Redisson.create(config), locks, new AtomicLong(FIRST_OWNER));
	}

	/** Create a client as an application does. */
	static RedissonClient client(String host, String port) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + host + ":" + port);
		return Redisson.create(config);
	}

	@Override
	public Lock lock(String key) {
		return this.locks.apply(this.client, key);
	}

	@Override
	public CompletionStage<Runnable> lockAsync(String key) {
		RLock lock = this.locks.apply(this.client, key);
		long owner = this.owners.incrementAndGet();
		return lock.lockAsync(owner).thenApply((nothing) -> () -> lock.unlockAsync(owner));
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
