package io.distributedlock.history;

import java.util.function.Consumer;

import io.distributedlock.history.Event.Phase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Losses that are notified although nothing was lost. */
class FalseLossTests {

	@Test
	void lossWithinTheValidityIsCounted() {
		assertThat(falseLosses((s) -> s.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610))).isOne();
	}

	/**
	 * The answer to the release was lost, and its repetition was answered as not the
	 * owner.
	 */
	@Test
	void releaseThatIsRefusedWithinTheValidityIsCountedOnce() {
		assertThat(falseLosses((s) -> {
			s.outageOf(Script.KEY, 490, 550);
			s.actor("a").holds(0, 10, 1, 1000).releases(500, 600, Phase.FAIL).isToldLost(601);
		})).isOne();
	}

	@Test
	void lossAfterTheValidityIsNotCounted() {
		assertThat(falseLosses((s) -> s.actor("a").holds(0, 10, 1, 1000).isToldLost(1001).releases(1100, 1110)))
			.isZero();
	}

	@Test
	void lossOfALockThatTheStoreHasForgottenIsNotCounted() {
		assertThat(falseLosses((s) -> {
			s.loss(Script.KEY, 20, 30);
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610);
		})).isZero();
	}

	@Test
	void lossWhileAnotherLockWasForgottenIsCounted() {
		assertThat(falseLosses((s) -> {
			s.loss("other", 20, 30);
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610);
		})).isOne();
	}

	@Test
	void lossAsTheProcessEndsIsNotCounted() {
		assertThat(falseLosses(
				(s) -> s.actor("a").holds(0, 10, 1, 1000).isToldLost(500, "SHUTDOWN").releases(600, 610, Phase.FAIL)))
			.isZero();
	}

	@Test
	void lossOnIndependentNodesIsAViolation() {
		Script script = new Script().ofQuorum();
		script.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610);
		Report report = script.check();
		assertThat(report.falseLosses()).isOne();
		assertThat(report.counts()).containsOnlyKeys(RuleName.C10_DETECTION);
	}

	@Test
	void lossOnIndependentNodesOfWhichOneMayHaveForgottenIsNotCounted() {
		Script script = new Script().ofQuorum();
		script.fault(NemesisKind.NODE, Event.ALL, "node", 20, 30);
		script.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610);
		assertThat(script.check().falseLosses()).isZero();
	}

	@Test
	void lossOfSeveralLocksOfWhichOneWasForgottenIsNotCounted() {
		assertThat(falseLosses((s) -> {
			s.loss("other", 20, 30);
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(500, "NOT_OWNER_OF_SEVERAL").releases(600, 610);
		})).isZero();
	}

	private static long falseLosses(Consumer<Script> history) {
		Script script = new Script();
		history.accept(script);
		return script.check().falseLosses();
	}

}
