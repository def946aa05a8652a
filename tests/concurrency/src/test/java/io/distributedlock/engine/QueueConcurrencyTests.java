package io.distributedlock.engine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The local queue of one lock, and its end when the last waiter leaves.
 */
@Tag("lincheck")
class QueueConcurrencyTests {

	@Test
	void queueWhenThreadsAreSwitchedAnywhereIsFirstComeFirstServed() {
		Interleavings.chosen(1).sequentialSpecification(QueueSpecification.class).check(QueueOperations.class);
	}

	@Test
	@Tag("real-threads")
	void queueUnderRealThreadsIsFirstComeFirstServed() {
		Interleavings.random(4).sequentialSpecification(QueueSpecification.class).check(QueueOperations.class);
	}

	@Test
	void queueOfWhichThereAreTwoIsNoticed() {
		assertThatThrownBy(() -> Interleavings.race(TwoQueuesOperations.class, "enter", 1, 2)
			.sequentialSpecification(QueueSpecification.class)
			.check(TwoQueuesOperations.class)).isInstanceOf(AssertionError.class)
			.hasMessageContaining("Invalid execution results");
	}

}
