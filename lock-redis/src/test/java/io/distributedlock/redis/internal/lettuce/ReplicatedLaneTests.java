package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;

import io.distributedlock.redis.internal.driver.Acknowledgement;
import io.distributedlock.redis.internal.driver.Script;
import io.distributedlock.redis.internal.driver.ScriptCall;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link ReplicatedLane} without a connection. */
class ReplicatedLaneTests {

	private final ReplicatedLane lane = new ReplicatedLane(() -> {
		throw new IllegalStateException("not reached");
	}, new Acknowledgement(1, Duration.ofSeconds(1), Duration.ofSeconds(1), (answer) -> true,
			(got) -> new IllegalStateException("not reached")), (task) -> {
				throw new NoClassDefFoundError("a driver");
			}, (call) -> {
			});

	/** All later calls waited for a round that had never begun. */
	@Test
	void callWhenConnectingThrowsAnErrorFailsAndTheLaneGoesOn() {
		for (int i = 0; i < 2; i++) {
			ScriptCall call = new ScriptCall(new Script(new byte[0]), new byte[][] { {} }, new byte[0][]);
			this.lane.add(new ReplicatedCall(call, ""));
			assertThat(call).isCompletedExceptionally()
				.failsWithin(Duration.ZERO)
				.withThrowableThat()
				.havingRootCause()
				.isInstanceOf(NoClassDefFoundError.class);
		}
	}

}
