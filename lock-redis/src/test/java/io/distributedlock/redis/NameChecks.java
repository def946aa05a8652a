package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

/** How the names of instances are noted. */
class NameChecks {

	void nameIsRememberedForItsTime(LockScriptHarness lock) {
		assertThat(lock.name("", 0)).isEmpty();
		assertThat(lock.name("orders@host", 5_000)).isEqualTo("orders@host");
		assertThat(lock.name("", 0)).isEqualTo("orders@host");
		assertThat(lock.redis.pttl(lock.key + ":name")).isBetween(1_000L, 5_000L);
	}

}
