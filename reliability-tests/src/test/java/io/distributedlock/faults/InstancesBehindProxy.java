package io.distributedlock.faults;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;

/** Two instances on a server of their own, one of them behind a proxy. */
abstract class InstancesBehindProxy {

	FaultyRedis redis;

	FaultProxy proxy;

	/** The one behind the proxy. */
	DefaultLockRegistry here;

	DefaultLockRegistry there;

	final void start(Driver driver) {
		this.redis = new FaultyRedis();
		this.proxy = this.redis.proxy();
		this.here = this.redis.instance(driver, this.proxy);
		this.there = this.redis.instance();
		this.here.acquire(LockRequest.of("warm up")).close();
	}

	@AfterEach
	final void stop() throws Exception {
		this.redis.close();
	}

}
