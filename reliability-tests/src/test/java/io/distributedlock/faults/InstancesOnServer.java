package io.distributedlock.faults;

import io.distributedlock.engine.DefaultLockRegistry;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two instances on a server of their own, whose administrator the test is. */
abstract class InstancesOnServer {

	FaultyRedis redis;

	DefaultLockRegistry here;

	DefaultLockRegistry there;

	RedisCommands<String, String> admin;

	@BeforeEach
	final void start() {
		this.redis = new FaultyRedis();
		this.here = this.redis.instance();
		this.there = this.redis.instance();
		this.admin = this.redis.admin();
	}

	@AfterEach
	final void stop() throws Exception {
		this.redis.close();
	}

}
