package io.distributedlock.observation;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.event.LockStatistics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class LockMetersTests {

	/** Each address that a cluster had ever had kept its meter. */
	@Test
	void nodeThatHasLeftHasNoMeter() {
		LockStatistics statistics = mock();
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		given(statistics.sinceLastAnswer()).willReturn(Map.of("a:1", Duration.ZERO, "b:1", Duration.ZERO));
		LockMeters binder = new LockMeters(Map.of("locks", statistics));
		binder.bindTo(meters);
		assertNodes(meters, "a:1", "b:1");
		given(statistics.sinceLastAnswer()).willReturn(Map.of("b:1", Duration.ZERO, "c:1", Duration.ZERO));
		assertThat(meters.get(LockMeter.HELD.getName()).gauge().value()).isZero();
		assertNodes(meters, "b:1", "c:1");
		assertThat(binder).isNotNull();
	}

	private static void assertNodes(SimpleMeterRegistry meters, String... nodes) {
		assertThat(meters.get(LockMeter.LAST_ANSWER.getName()).timeGauges())
			.extracting((gauge) -> gauge.getId().getTag("node"))
			.containsExactlyInAnyOrder(nodes);
	}

}
