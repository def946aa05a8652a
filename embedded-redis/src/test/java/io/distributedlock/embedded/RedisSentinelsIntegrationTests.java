package io.distributedlock.embedded;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RedisSentinels}: the behavior that others rely on when they break the master.
 */
class RedisSentinelsIntegrationTests {

	private static RedisSentinels sentinels;

	@BeforeAll
	static void start() {
		sentinels = RedisSentinels.start(1);
	}

	@AfterAll
	static void stop() {
		sentinels.close();
	}

	@Test
	void masterWhenStartedReplicates() {
		sentinels.settle();
		RedisServer master = sentinels.master();
		assertThat(master.ask("SET", "a", "1")).isEqualTo("OK");
		assertThat(sentinels.replicas()).hasSize(1);
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> sentinels.replicas().get(0).ask("GET", "a").equals("1"));
	}

	@Test
	void masterWhenKilledIsReplacedAndComesBackAsReplica() {
		sentinels.settle();
		RedisServer old = sentinels.master();
		old.kill();
		RedisServer next = sentinels.awaitMasterOtherThan(old);
		assertThat(next.ask("SET", "b", "1")).isEqualTo("OK");
		sentinels.rejoin(old);
		assertThat(sentinels.replicas()).containsExactly(old);
	}

	@Test
	void failOverWhenMasterIsWellReplacesIt() {
		sentinels.settle();
		RedisServer old = sentinels.master();
		assertThat(sentinels.failOver()).isNotSameAs(old).isSameAs(sentinels.master());
	}

}
