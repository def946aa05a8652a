package io.distributedlock.faults;

import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;

/** Two instances of an application on a server of their own. */
abstract class TwoInstances {

	FaultyRedis redis;

	DefaultLockRegistry here;

	DefaultLockRegistry there;

	/**
	 * Start the server and the instances.
	 * @param settings more arguments for the server
	 */
	final void startWith(String... settings) {
		this.redis = new FaultyRedis(settings);
		this.here = this.redis.instance();
		this.there = this.redis.instance();
	}

	@AfterEach
	final void stop() throws Exception {
		this.redis.close();
	}

}
