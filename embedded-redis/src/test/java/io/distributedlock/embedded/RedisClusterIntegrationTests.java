package io.distributedlock.embedded;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link RedisCluster}: the operations by which other tests break nodes and move slots.
 */
class RedisClusterIntegrationTests {

	/** A machine that is busy is no fault. */
	private static final Duration BUSY = Duration.ofSeconds(15);

	/** Nodes that are silent for so long have failed, as at first. */
	private static final Duration FAILED = Duration.ofMillis(1500);

	private static RedisCluster cluster;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@BeforeEach
	void awaitHealthy() {
		cluster.awaitHealthy();
		cluster.allowSilence(BUSY);
		cluster.awaitHealthy();
	}

	@Test
	void keyWhenAskedOfItsMasterIsThere() {
		assertThat(cluster.masters()).hasSize(3).doesNotHaveDuplicates();
		int slot = cluster.slotOf("{a}b");
		assertThat(slot).isEqualTo(cluster.slotOf("a"));
		assertThat(cluster.masterOf(slot).ask("SET", "{a}b", "1")).isEqualTo("OK");
		assertThat(cluster.keysOf(slot)).contains("{a}b");
		RedisServer other = cluster.masters()
			.stream()
			.filter((node) -> node != cluster.masterOf(slot))
			.findFirst()
			.get();
		assertThatIllegalStateException().isThrownBy(() -> other.ask("GET", "{a}b")).withMessageStartingWith("MOVED");
	}

	@Test
	void slotWhenMovedStepByStepIsAtEachStepWhereItShouldBe() {
		int slot = cluster.slotOf("{move}");
		RedisServer source = cluster.masterOf(slot);
		source.ask("MSET", "{move}1", "1", "{move}2", "2");
		RedisServer target = cluster.masters().stream().filter((node) -> node != source).findFirst().get();
		cluster.beginMove(slot, target);
		cluster.moveKeys(slot, target, List.of("{move}1"));
		assertThatIllegalStateException().isThrownBy(() -> source.ask("GET", "{move}1")).withMessageStartingWith("ASK");
		assertThatIllegalStateException().isThrownBy(() -> source.ask("MGET", "{move}1", "{move}2"))
			.withMessageStartingWith("TRYAGAIN");
		cluster.endMove(slot, target);
		assertThat(cluster.masterOf(slot)).isSameAs(target);
		assertThat(target.ask("MGET", "{move}1", "{move}2")).isEqualTo(List.of("1", "2"));
		assertThatIllegalStateException().isThrownBy(() -> source.ask("GET", "{move}1"))
			.withMessageStartingWith("MOVED");
	}

	@Test
	void masterWhenKilledIsReplacedAndComesBackAsReplica() {
		cluster.allowSilence(FAILED);
		int slot = cluster.slotOf("{fail}");
		RedisServer master = cluster.masterOf(slot);
		master.kill();
		RedisServer next = cluster.awaitMasterOtherThan(slot, master);
		assertThat(next.ask("SET", "{fail}", "1")).isEqualTo("OK");
		master.start();
		cluster.awaitHealthy();
		assertThat(cluster.replicasOf(next)).containsExactly(master);
	}

	@Test
	void failOverWhenMasterIsWellMakesItsReplicaMaster() {
		cluster.allowSilence(FAILED);
		RedisServer old = cluster.masters().get(2);
		RedisServer next = cluster.failOver(old);
		cluster.awaitHealthy();
		assertThat(cluster.masters()).contains(next).doesNotContain(old);
	}

}
