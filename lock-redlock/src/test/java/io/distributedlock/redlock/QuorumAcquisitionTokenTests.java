package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.distributedlock.Searches;
import io.distributedlock.redlock.VirtualQuorum.Instance;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tokens of one acquisition after another, by several instances that know nothing of each
 * other, on five nodes whose clocks differ by up to 200 ms. Each time other nodes cannot
 * be reached, some of them only for the second round, and releases do not reach all.
 */
class QuorumAcquisitionTokenTests {

	private static final int ACQUISITIONS = Searches.share(200_000);

	private final VirtualQuorum quorum = new VirtualQuorum(5);

	private final List<Instance> instances = List.of(this.quorum.instance(), this.quorum.instance(),
			this.quorum.instance());

	private final Random random = new Random(42);

	@Test
	void tokensWhenWrittenBackToAMajorityGrowStrictly() {
		assertThat(outOfOrder(ACQUISITIONS)).isZero();
	}

	/** The same with a single round, which shows the need for the second one. */
	@Test
	void tokensWhenOnlyTheLargestOfAMajorityIsTakenAreOutOfOrder() {
		this.quorum.nodes.forEach((node) -> node.pretendsToRaise = true);
		assertThat(outOfOrder(ACQUISITIONS / 20)).isGreaterThan(ACQUISITIONS / 20 / 10);
	}

	private int outOfOrder(int acquisitions) {
		this.quorum.nodes.forEach((node) -> node.skew = Duration.ofMillis(this.random.nextInt(400) - 200));
		int outOfOrder = 0;
		long largest = 0;
		int granted = 0;
		while (granted < acquisitions) {
			Instance instance = this.instances.get(this.random.nextInt(this.instances.size()));
			loseSomeNodes();
			RequestId request = instance.request();
			AcquireOutcome outcome = instance.acquire(request).join();
			if (outcome instanceof Granted grant) {
				granted++;
				outOfOrder += (grant.token() <= largest) ? 1 : 0;
				largest = Math.max(largest, grant.token());
			}
			loseSomeNodes();
			instance.release(request);
			this.quorum.nodes.forEach((node) -> node.state = VirtualNode.State.UP);
			instance.abandon(request).join();
			this.quorum.forgetWhatWasAsked();
			this.quorum.timer.pass(Duration.ofMillis(this.random.nextInt(3)));
		}
		return outOfOrder;
	}

	/** A majority stays. */
	private void loseSomeNodes() {
		this.quorum.nodes.forEach((node) -> {
			node.state = VirtualNode.State.UP;
			node.losesRaise = false;
		});
		for (int i = this.random.nextInt(3); i > 0; i--) {
			VirtualNode node = this.quorum.node(this.random.nextInt(5));
			node.losesRaise = this.random.nextBoolean();
			node.state = node.losesRaise ? VirtualNode.State.UP : VirtualNode.State.DOWN;
		}
	}

}
