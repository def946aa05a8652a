package io.distributedlock.reactive;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ParentObservationTests {

	private final ObservationRegistry observations = ObservationRegistry.create();

	ParentObservationTests() {
		this.observations.observationConfig().observationHandler(new ObservationHandler<>() {
			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}
		});
	}

	/** The subscriber may recover from that, and its observation go on. */
	@Test
	void requestThatIsRefusedIsNoErrorOfTheSubscriber() {
		Observation parent = Observation.start("subscriber", this.observations);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ParentObservation.around(Context.of("micrometer.observation", parent), () -> {
				assertThat(this.observations.getCurrentObservation()).isSameAs(parent);
				throw new IllegalArgumentException("refused");
			}));
		assertThat(parent.getContext().getError()).isNull();
		assertThat(this.observations.getCurrentObservation()).isNull();
	}

}
