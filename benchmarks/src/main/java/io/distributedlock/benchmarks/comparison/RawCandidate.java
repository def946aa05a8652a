package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.locks.Lock;

import io.distributedlock.benchmarks.protocol.RawPairs;
import io.distributedlock.benchmarks.protocol.RawPairs.Pair;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

/**
 * The floor: two raw commands, which neither wait nor renew.
 *
 * @param pair the commands
 * @param closing closes their connections
 */
record RawCandidate(Pair pair, Runnable closing) implements Candidate {

	static RawCandidate lettuce(Place place) {
		RedisClient client = RedisClient.create(RedisURI.create(place.host(), place.port()));
		return new RawCandidate(RawPairs.on(client.connect().sync()), client::shutdown);
	}

	static RawCandidate jedis(Place place) {
		redis.clients.jedis.RedisClient client = redis.clients.jedis.RedisClient.create(place.host(), place.port());
		return new RawCandidate(RawPairs.on(client), client::close);
	}

	@Override
	public Lock lock(String key) {
		return new CallerLock() {

			@Override
			public void lock() {
				requireTaken(RawCandidate.this.pair.acquire(key), key);
			}

			@Override
			public void unlock() {
				RawCandidate.this.pair.release(key);
			}

		};
	}

	@Override
	public void close() {
		this.closing.run();
	}

}
