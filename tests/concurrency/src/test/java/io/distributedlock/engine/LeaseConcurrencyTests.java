package io.distributedlock.engine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A single lease, and everything that can end it.
 */
@Tag("lincheck")
class LeaseConcurrencyTests {

	@Test
	void leaseWhenThreadsAreSwitchedAnywhereEndsOnce() {
		Interleavings.chosen(1).check(LeaseOperations.class);
	}

	@Test
	@Tag("real-threads")
	void leaseUnderRealThreadsEndsOnce() {
		Interleavings.random(3).check(LeaseOperations.class);
	}

	@Test
	@Tag("real-threads")
	void leaseThatIsReleasedTwiceIsNoticed() {
		assertThatThrownBy(() -> Interleavings.random(100).check(SentTwiceLeaseOperations.class))
			.isInstanceOf(AssertionError.class)
			.hasMessageContaining("releases sent");
	}

}
