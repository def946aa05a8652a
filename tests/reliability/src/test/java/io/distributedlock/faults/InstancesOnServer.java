package io.distributedlock.faults;

import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.BeforeEach;

/** Two instances on a server of their own, whose administrator the test is. */
abstract class InstancesOnServer extends TwoInstances {

	RedisCommands<String, String> admin;

	@BeforeEach
	final void start() {
		startWith();
		this.admin = this.redis.admin();
	}

}
