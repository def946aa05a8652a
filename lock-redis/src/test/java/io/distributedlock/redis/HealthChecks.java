package io.distributedlock.redis;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;

import static org.assertj.core.api.Assertions.assertThat;

/** The answer of a server about its health. */
class HealthChecks {

	void clockIsThatOfTheServer(LockScriptHarness lock) {
		long before = lock.now();
		long millis = Long.parseLong(lock.health(false).get(0)) * 1_000
				+ Long.parseLong(lock.health(false).get(1)) / 1_000;
		assertThat(millis).isBetween(before - 1_000, lock.now() + 1_000);
	}

	void evictionPolicyCountsWhereMemoryIsLimited(LockScriptHarness lock) {
		assertThat(lock.health(true).get(2)).isEqualTo("unlimited");
		assertThat(lock.health(false).get(2)).as("not asked for").isEmpty();
		lock.redis.configSet("maxmemory", "100mb");
		lock.redis.configSet("maxmemory-policy", "volatile-lru");
		assertThat(lock.health(true).get(2)).isEqualTo("volatile-lru");
		lock.redis.configSet("maxmemory-policy", "noeviction");
		assertThat(lock.health(true).get(2)).isEqualTo("noeviction");
	}

	void userWhoMayNotAskForThePolicyGetsTheRest(LockScriptHarness lock) {
		lock.redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.INFO));
		assertThat(lock.health(true).get(2)).isEqualTo("-");
		assertThat(lock.health(true).get(0)).isNotEmpty();
	}

}
