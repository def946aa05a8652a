package io.distributedlock.engine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The state machine of one acquisition with every interleaving.
 */
@Tag("lincheck")
class GrantConcurrencyTests {

	@Test
	void grantWhenThreadsAreSwitchedAnywhereFollowsItsStateMachine() {
		Interleavings.chosen(3).sequentialSpecification(GrantSpecification.class).check(GrantOperations.class);
	}

	@Test
	@Tag("real-threads")
	void grantUnderRealThreadsFollowsItsStateMachine() {
		Interleavings.random(5).sequentialSpecification(GrantSpecification.class).check(GrantOperations.class);
	}

	/** A loss that was reported while it happened had a wrong reason. */
	@Test
	void lossWhenItsTimerFiresAtTheSameTimeIsToldWithItsReason() {
		Interleavings.chosen(4)
			.actorsPerThread(1)
			.actorsAfter(0)
			.invocationsPerIteration(50)
			.sequentialSpecification(GrantSpecification.class)
			.check(LossOperations.class);
	}

	/**
	 * The plan of before overruled it: the lease ended though a holder wanted renewals.
	 */
	@Test
	void renewalIsPlannedWhenAHolderComesToWantItDuringAnAnswer() {
		Interleavings.beside(PlanOperations.class, "confirmed", "enter", "renewalDue").check(PlanOperations.class);
	}

	@Test
	void grantThatChecksFirstAndActsAfterwardsIsNoticed() {
		assertThatThrownBy(() -> Interleavings.race(CheckThenActGrantOperations.class, "lose", 1, 2)
			.sequentialSpecification(GrantSpecification.class)
			.check(CheckThenActGrantOperations.class)).isInstanceOf(AssertionError.class)
			.hasMessageContaining("Invalid execution results");
	}

}
