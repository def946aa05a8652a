package io.distributedlock.hostile;

import org.junit.jupiter.api.AfterAll;

/** Hostile keys on a real server. */
class HostileKeyRedisIntegrationTests extends HostileKeyContractTests {

	private static final HostileRedis REDIS = new HostileRedis();

	HostileKeyRedisIntegrationTests() {
		super(REDIS);
	}

	@AfterAll
	static void stop() {
		REDIS.close();
	}

}
