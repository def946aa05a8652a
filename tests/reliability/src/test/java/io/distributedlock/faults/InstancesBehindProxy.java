package io.distributedlock.faults;

import io.distributedlock.LockRequest;

/** Two instances on a server of their own, the one that is here behind a proxy. */
abstract class InstancesBehindProxy extends TwoInstances {

	FaultProxy proxy;

	final void start(Driver driver) {
		this.redis = new FaultyRedis();
		this.proxy = this.redis.proxy();
		this.here = this.redis.instance(driver, this.proxy);
		this.there = this.redis.instance();
		this.here.acquire(LockRequest.of("warm up")).close();
	}

}
