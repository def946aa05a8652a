package io.distributedlock.observation;

import java.util.List;

import io.distributedlock.Patience;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.memory.MemoryLockStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaderMetersTests {

	@Test
	void meterOfARoleIsOneForItsLeader() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore());
				LeaderElections elections = new LeaderElections(registry)) {
			LeaderElection leader = elections.create("a");
			LeaderElection twin = elections.create("a");
			LeaderMeters binder = new LeaderMeters(List.of(leader, twin, elections.create("b")));
			binder.bindTo(meters);
			assertThat(value(meters, "a")).isZero();
			leader.start();
			twin.start();
			Patience.await().until(() -> value(meters, "a") == 1);
			assertThat(value(meters, "b")).isZero();
			assertThat(binder).isNotNull();
		}
	}

	private static double value(SimpleMeterRegistry meters, String role) {
		return meters.get(LockMeter.LEADER.getName()).tag("role", role).gauge().value();
	}

}
