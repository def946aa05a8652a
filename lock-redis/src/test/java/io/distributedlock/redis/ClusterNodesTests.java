package io.distributedlock.redis;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.management.ThreadMXBean;
import io.distributedlock.store.LockKey;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.ClusterStateFailureException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisClusterNode.SlotRange;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode.NodeType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class ClusterNodesTests {

	private static final LockKey LOCK = new LockKey("orders", "42");

	private static final byte[] KEY = "lock:{orders:42}".getBytes(StandardCharsets.UTF_8);

	private final RedisClusterConnection connection = mock();

	/**
	 * The client was shut down while it connected for this, and wrote errors to the log
	 * of applications that end soon after their start.
	 */
	@Test
	void closeDuringACallOfTheDriverWaitsForItsAnswer() throws InterruptedException {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		RedisConnectionFactory factory = mock();
		given(factory.getClusterConnection()).willAnswer((invocation) -> {
			asked.countDown();
			answer.await();
			return mock(RedisClusterConnection.class);
		});
		ClusterNodes nodes = new ClusterNodes(factory);
		nodes.read();
		asked.await();
		long start = System.nanoTime();
		nodes.close();
		// It waits for a moment of 500 ms, since there is no answer.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(400));
		answer.countDown();
	}

	private ClusterNodes nodes() {
		RedisConnectionFactory factory = mock();
		given(factory.getClusterConnection()).willReturn(this.connection);
		return new ClusterNodes(factory);
	}

	private void readMaster(ClusterNodes nodes, String host) {
		given(this.connection.clusterGetNodes()).willReturn(List.of(RedisClusterNode.newRedisClusterNode()
			.listeningAt(host, 1)
			.promotedAs(NodeType.MASTER)
			.serving(new SlotRange(0, 16_383))
			.build()));
		await().until(() -> {
			nodes.read();
			return nodes.sinceLastAnswer().containsKey(host + ":1");
		});
	}

	@Test
	void nodeThatHasLeftIsForgotten() {
		try (ClusterNodes nodes = nodes()) {
			readMaster(nodes, "a");
			nodes.answered(LOCK, KEY, System.nanoTime());
			assertAnswered(nodes, "a:1");
			readMaster(nodes, "b");
			nodes.answered(LOCK, KEY, System.nanoTime() + 2 * LastAnswers.PAUSE_NANOS);
			assertAnswered(nodes, "b:1");
		}
	}

	/** Each refusal is a line in the log of each node. */
	@Test
	void readThatIsRefusedIsNotRepeatedSoon() {
		AtomicInteger reads = failingReads("NOPERM User 'locks' has no permissions to run the 'cluster|nodes' command");
		try (ClusterNodes nodes = nodes()) {
			nodes.read();
			await().until(() -> reads.get() == 1);
			await().during(Duration.ofMillis(1200)).until(() -> {
				nodes.keys("health");
				nodes.failed();
				return reads.get() == 1;
			});
		}
	}

	@Test
	void readThatFailsOtherwiseIsRepeatedSoon() {
		AtomicInteger reads = failingReads("Read timed out");
		try (ClusterNodes nodes = nodes()) {
			nodes.read();
			await().until(() -> {
				nodes.keys("health");
				return reads.get() > 1;
			});
		}
	}

	/** Throws the exception that Spring Data Redis throws with Jedis. */
	private AtomicInteger failingReads(String message) {
		AtomicInteger reads = new AtomicInteger();
		given(this.connection.clusterGetNodes()).willAnswer((invocation) -> {
			reads.incrementAndGet();
			throw new ClusterStateFailureException("Could not retrieve cluster information; "
					+ "CLUSTER NODES returned with error\r\n\t- 127.0.0.1:1 failed: " + message);
		});
		return reads;
	}

	private static void assertAnswered(ClusterNodes nodes, String node) {
		await().untilAsserted(() -> assertThat(nodes).extracting("answers")
			.extracting("answeredAt", InstanceOfAssertFactories.MAP)
			.containsOnlyKeys(node));
	}

	/** The slot of each key was computed, and the time boxed. */
	@Test
	void answersInQuickSuccessionMakeNoGarbage() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		try (ClusterNodes nodes = nodes()) {
			readMaster(nodes, "a");
			long now = System.nanoTime();
			nodes.answered(LOCK, KEY, now);
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int answer = 0; answer < 10_000; answer++) {
				nodes.answered(LOCK, KEY, now);
			}
			assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
		}
	}

}
