package io.distributedlock.engine.simulation;

import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The checks of the simulation find each mistake that is put in, and soon. */
class SimulationSensitivityTests {

	private static final int SEEDS = 2_000;

	private static SimulationLog log;

	@BeforeAll
	static void silenceLog() {
		log = new SimulationLog();
	}

	@AfterAll
	static void restoreLog() {
		log.close();
	}

	@Test
	void secondOwnerIsFound() {
		assertThat(violation(SimulationBrokenScripts::letsASecondOwnerIn)).containsAnyOf("held by two", "believes");
	}

	@Test
	void tokenThatDoesNotGrowIsFound() {
		assertThat(violation(SimulationBrokenScripts::givesOneToken)).contains("is not larger");
	}

	@Test
	void abandonedRequestThatComesBackIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenScripts::forgetsAbandoned), "had ended"))
			.contains("was given");
	}

	@Test
	void releasedRequestThatComesBackIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenScripts::forgetsReleased), "had ended"))
			.contains("was given");
	}

	@Test
	void releaseThatChangesNothingIsFound() {
		assertThat(violation(SimulationBrokenScripts::keepsReleased)).containsAnyOf("still has it", "which had ended");
	}

	@Test
	void leaseThatNeverRunsOutIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenScripts::standsStill), "does not"))
			.isNotEmpty();
	}

	@Test
	void lockThatIsNotKeptIsFound() {
		assertThat(violation(SimulationBrokenScripts::keepsNothing)).contains("was to be kept");
	}

	@Test
	void tokensThatAreNotReservedAreFound() {
		assertThat(violation(SimulationBrokenScripts::reservesNothing)).contains("is not larger");
	}

	@Test
	void tokensBehindAnOlderOneAreFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenScripts::reservesBehindAnOldToken),
				"before its call"))
			.contains("is not larger");
	}

	@Test
	void claimThatIsOverTooEarlyIsFound() {
		assertThat(violation(SimulationBrokenScripts::endsClaimsEarly)).containsAnyOf("the server does not",
				"held by two", "was lost without a reason");
	}

	@Test
	void abandonThatIsIgnoredIsFound() {
		assertThat(violation(SimulationBrokenScripts::ignoresAbandon)).containsAnyOf("no caller wants", "had ended");
	}

	@Test
	void renewalForAnyOwnerIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenScripts::renewsForAnyOwner),
				"the server does not", 600))
			.containsAnyOf("the server does not", "held by two", "held by too many");
	}

	@Test
	void extendThatIsIgnoredIsFound() {
		assertThat(violation(SimulationBrokenScripts::ignoresExtend)).containsAnyOf("the server does not",
				"held by two", "held by too many", "was lost without a reason");
	}

	@Test
	void suspensionThatNoClockShowsIsFound() {
		assertThat(
				violation(new SimulationSabotage(UnaryOperator.identity(), UnaryOperator.identity(), 0, false, true)))
			.containsAnyOf("the server does not", "held by two");
	}

	@Test
	void lossThatIsNotToldIsFound() {
		UnaryOperator<Executor> silent = (executor) -> (task) -> {
		};
		assertThat(violation(new SimulationSabotage(UnaryOperator.identity(), silent, 0, false, false), "was not told"))
			.startsWith("The loss of");
	}

	@Test
	void lossThatIsToldTwiceIsFound() {
		UnaryOperator<Executor> twice = (executor) -> (task) -> {
			executor.execute(task);
			executor.execute(task);
		};
		assertThat(violation(new SimulationSabotage(UnaryOperator.identity(), twice, 0, false, false)))
			.contains("twice");
	}

	@Test
	void clockThatIsTooSlowIsFound() {
		assertThat(violation(
				new SimulationSabotage(UnaryOperator.identity(), UnaryOperator.identity(), -50_000, false, false)))
			.containsAnyOf("the server does not", "held by two");
	}

	@Test
	void timersThatAreNotHeardAreFound() {
		assertThat(
				violation(new SimulationSabotage(UnaryOperator.identity(), UnaryOperator.identity(), 0, true, false)))
			.isNotEmpty();
	}

	@Test
	void readerThatOvertakesAWriterIsFound() {
		assertThat(violation(SimulationBrokenTurns::letsReadersOvertake)).contains(" in while ");
	}

	@Test
	void writerAmongReadersIsFound() {
		assertThat(violation(SimulationBrokenTurns::letsWritersJoinReaders)).contains("held by two");
	}

	@Test
	void onePermitTooManyIsFound() {
		assertThat(violation(SimulationBrokenTurns::givesOnePermitMore)).containsAnyOf("too many", "more holders");
	}

	@Test
	void permitsThatDoNotCountAreFound() {
		assertThat(violation(SimulationBrokenScripts::countsOnePermit)).containsAnyOf("too many", "more holders");
	}

	@Test
	void delayThatIsIgnoredIsFound() {
		assertThat(violation(SimulationBrokenScripts::ignoresDelays)).containsAnyOf("closed after", "closed when");
	}

	@Test
	void lateReleaseThatOpensTheLockIsFound() {
		assertThat(violation(SimulationBrokenScripts::opensForLateReleases)).containsAnyOf("closed after",
				"closed when");
	}

	@Test
	void delayAfterAReleaseIsFound() {
		assertThat(violation(SimulationBrokenTurns::closesReleased)).contains("closed after the release");
	}

	@Test
	void readerThatWaitsForItselfIsFound() {
		assertThat(violation(SimulationBrokenTurns::ignoresBeside)).contains("waited for itself");
	}

	@Test
	void fairOneThatOvertakesIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenTurns::letsFairOnesOvertake), " before "))
			.contains("gives");
	}

	@Test
	void placeInLineThatIsLostIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenTurns::losesPlaces), "waits for what is free"))
			.startsWith("instance");
	}

	@Test
	void placeThatIsNotPassedOnIsFound() {
		assertThat(violation(SimulationSabotage.scripts(SimulationBrokenTurns::passesNoPlaceOn), " before ", 217))
			.contains("gives");
	}

	@Test
	void phaseThatNeverEndsIsFound() {
		assertThat(violation(SimulationBrokenTurns::neverEndsPhases)).containsAnyOf("waits for what is free", "Stuck");
	}

	@Test
	void readerThatIsForgottenIsFound() {
		assertThat(violation(SimulationBrokenTurns::forgetsReaders)).containsAnyOf("the server does not", "held by two",
				"too many");
	}

	@Test
	void readerTokenThatIsNotTheLastIsFound() {
		assertThat(violation(SimulationBrokenTurns::givesReadersAnyToken)).contains("is not larger");
	}

	private static String violation(UnaryOperator<SimulationScripts> broken) {
		return violation(SimulationSabotage.scripts(broken));
	}

	/** Return the first violation that is found. */
	private static String violation(SimulationSabotage sabotage) {
		return violation(sabotage, "");
	}

	private static String violation(SimulationSabotage sabotage, String expected) {
		return violation(sabotage, expected, 1);
	}

	/** Begins with a world that has shown it, where most do not. */
	private static String violation(SimulationSabotage sabotage, String expected, long first) {
		for (long seed = first; seed < first + SEEDS; seed++) {
			String violation = new SimulationWorld(seed, sabotage, false).run().violation();
			if (violation != null && violation.contains(expected)) {
				return violation;
			}
		}
		throw new AssertionError("Not found in " + SEEDS + " worlds");
	}

}
