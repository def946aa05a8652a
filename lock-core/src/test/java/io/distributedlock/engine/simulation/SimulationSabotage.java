package io.distributedlock.engine.simulation;

import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/**
 * The faults that are put in on purpose, to see that the checks of the simulation find
 * them.
 *
 * @param scripts breaks the scripts
 * @param losses breaks the executor on which losses are told
 * @param clockError how many millionths the clocks of instances are wrong, beyond the
 * error that the engine allows for
 * @param deaf whether instances never hear that their timers have moved
 * @param blind whether wall clocks stand still, too, while their machine is suspended
 */
record SimulationSabotage(UnaryOperator<SimulationScripts> scripts, UnaryOperator<Executor> losses, long clockError,
		boolean deaf, boolean blind) {

	static final SimulationSabotage NONE = new SimulationSabotage(UnaryOperator.identity(), UnaryOperator.identity(), 0,
			false, false);

	static SimulationSabotage scripts(UnaryOperator<SimulationScripts> scripts) {
		return new SimulationSabotage(scripts, UnaryOperator.identity(), 0, false, false);
	}

	Executor lossCallbacks(Executor executor) {
		return this.losses.apply(executor);
	}

}
