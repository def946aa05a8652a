package io.distributedlock.engine.simulation;

/**
 * The faults that may strike in one world, and how often. Most worlds have a few kinds of
 * faults and not all of them, so that each is seen with and without the others.
 *
 * @param latency the longest way of a message in nanoseconds
 * @param spike how often a message takes up to two seconds
 * @param requestLost how often a command does not arrive
 * @param answerLost how often an answer does not
 * @param repeated how often a command is applied once more, later
 * @param withdrawn how often cancelling a command takes it back
 * @param refused how often the store is unavailable
 * @param misconfigured how often the store answers with a lasting error
 * @param wakeUpLost how often a message to a waiter is lost
 * @param unconfirmed how often no replica knows of a lock that was granted
 */
record SimulationClimate(long latency, double spike, double requestLost, double answerLost, double repeated,
		double withdrawn, double refused, double misconfigured, double wakeUpLost, double unconfirmed) {

	static final SimulationClimate CALM = new SimulationClimate(2_000_000, 0, 0, 0, 0, 0, 0, 0, 0, 0);

	/**
	 * Nothing is drawn from the chance of the world, so that other worlds stay as they
	 * are.
	 */
	SimulationClimate withReplicas(long seed) {
		double unconfirmed = new SimulationChance(~seed).sometimes(0.2, 0.6);
		return new SimulationClimate(this.latency, this.spike, this.requestLost, this.answerLost, this.repeated,
				this.withdrawn, this.refused, this.misconfigured, this.wakeUpLost, unconfirmed);
	}

	/** Fast, so that there are turns, and with messages that are lost. */
	static SimulationClimate ofHerd(SimulationChance chance) {
		return new SimulationClimate(chance.oneOf(200_000L, 2_000_000L), chance.sometimes(0.2, 0.1),
				chance.sometimes(0.2, 0.1), chance.sometimes(0.2, 0.2), chance.sometimes(0.2, 0.2),
				chance.sometimes(0.5, 1), 0, 0, chance.oneOf(0.0, 0.3, 0.7, 1.0), 0);
	}

	static SimulationClimate of(SimulationChance chance) {
		return new SimulationClimate(chance.oneOf(2_000_000L, 2_000_000L, 40_000_000L, 300_000_000L),
				chance.sometimes(0.3, 0.15), chance.sometimes(0.4, 0.3), chance.sometimes(0.5, 0.4),
				chance.sometimes(0.5, 0.4), chance.sometimes(0.5, 1), chance.sometimes(0.3, 0.3),
				chance.sometimes(0.1, 0.02), chance.sometimes(0.4, 1), 0);
	}

}
