package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.Searches;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Thousands of worlds, each made by its seed. {@code -Dsimulation.seed=…} repeats one and
 * prints all that happens in it, {@code -Dsimulation.seeds=…} says how many there are,
 * and {@code -Dsimulation.first=…} where they begin.
 */
class SimulationTests {

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
	void nothingIsLostAndNothingIsStuckInAnyWorld() {
		Long only = Long.getLong("simulation.seed");
		long first = (only != null) ? only : Long.getLong("simulation.first", 1);
		int seeds = (only != null) ? 1 : Integer.getInteger("simulation.seeds", Searches.share(10_000));
		long acquired = 0;
		for (long seed = first; seed < first + seeds; seed++) {
			SimulationWorld world = world(seed, only != null);
			acquired += world.checks().acquired();
		}
		assertThat(acquired).as("locks acquired").isGreaterThan(seeds);
	}

	private static SimulationWorld world(long seed, boolean traced) {
		SimulationWorld world = new SimulationWorld(seed, SimulationSabotage.NONE, traced).run();
		String violation = world.violation();
		String error = log.takeError();
		if (seed == Long.getLong("simulation.seed", -1)) {
			world.trace().forEach(System.out::println);
		}
		if (violation != null || error != null) {
			fail("World %d: %s%nRepeat it with -Dtest=SimulationTests -Dsimulation.seed=%1$d%nIts last events:%n%s",
					seed, (violation != null) ? violation : error, lastEvents(seed));
		}
		return world;
	}

	private static String lastEvents(long seed) {
		List<String> trace = new SimulationWorld(seed, SimulationSabotage.NONE, true).run().trace();
		return String.join("\n", trace.subList(Math.max(0, trace.size() - TRACE_SHOWN), trace.size()));
	}

	/** A seed that does not repeat its world is of no use. */
	@Test
	void seedRepeatsItsWorld() {
		for (long seed = 1; seed <= Searches.share(50); seed++) {
			assertThat(world(seed, true).trace()).isEqualTo(world(seed, true).trace());
		}
	}

}
