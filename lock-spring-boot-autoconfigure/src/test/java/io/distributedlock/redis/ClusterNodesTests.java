package io.distributedlock.redis;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@Timeout(30)
class ClusterNodesTests {

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
			assertThat(answer.await(20, TimeUnit.SECONDS)).isTrue();
			return mock(RedisClusterConnection.class);
		});
		ClusterNodes nodes = new ClusterNodes(factory);
		nodes.read();
		assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
		Thread closing = new Thread(nodes::close);
		closing.start();
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
		answer.countDown();
		closing.join();
	}

}
