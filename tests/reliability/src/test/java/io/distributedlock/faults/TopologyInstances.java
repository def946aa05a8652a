package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.data.redis.connection.RedisConfiguration;

/** Instances of an application on servers that belong together. */
final class TopologyInstances extends Instances {

	private final RedisConfiguration servers;

	private final Duration timeout;

	TopologyInstances(RedisConfiguration servers, Duration timeout) {
		this.servers = servers;
		this.timeout = timeout;
	}

	/** A new instance of an application. */
	DefaultLockRegistry instance(Driver driver) {
		return instance(driver.connect(this.servers, this.timeout));
	}

}
