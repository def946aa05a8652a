package io.distributedlock.engine.simulation;

import java.util.List;
import java.util.stream.LongStream;

import io.distributedlock.Searches;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Overlapping sets of locks in any order and mode, together or one by one, never wait for
 * each other.
 */
class SimulationDeadlockTests {

	private static final int SETS = Searches.share(100_000);

	/** The number of sets that each caller takes in its world. */
	private static final int SETS_EACH = 10;

	private static final int TRACE_SHOWN = 60;

	private static SimulationLog log;

	@BeforeAll
	static void watchLog() {
		log = new SimulationLog();
	}

	@AfterAll
	static void restoreLog() {
		log.close();
	}

	@Test
	void overlappingSetsAreAllAcquired() {
		long acquired = 0;
		for (long seed = Long.getLong("simulation.seed", 1); acquired < SETS; seed++) {
			SimulationWorld world = world(seed, SimulationSabotage.NONE, false).run();
			String error = log.takeError();
			if (world.violation() != null || error != null) {
				fail("World %d: %s%n%s", seed, (error != null) ? error : world.violation(), lastEvents(seed));
			}
			acquired += world.checks().acquired();
		}
		assertThat(acquired).as("sets acquired").isGreaterThanOrEqualTo(SETS);
	}

	@Test
	void callerThatNeverGetsItsSetIsFound() {
		SimulationSabotage sabotage = SimulationSabotage.scripts(SimulationBrokenTurns::neverEndsPhases);
		assertThat(LongStream.rangeClosed(1, 20).mapToObj((seed) -> world(seed, sabotage, false).run().violation()))
			.anySatisfy((violation) -> assertThat(violation).isNotNull());
	}

	private static SimulationWorld world(long seed, SimulationSabotage sabotage, boolean traced) {
		return SimulationWorld.crowd(seed, sabotage, traced, SETS_EACH);
	}

	private static String lastEvents(long seed) {
		List<String> trace = world(seed, SimulationSabotage.NONE, true).run().trace();
		return String.join("\n", trace.subList(Math.max(0, trace.size() - TRACE_SHOWN), trace.size()));
	}

}
