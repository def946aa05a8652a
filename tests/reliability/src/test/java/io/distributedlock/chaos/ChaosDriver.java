package io.distributedlock.chaos;

/** The drivers that workers connect to Redis with. */
enum ChaosDriver {

	/** A single connection for all commands. */
	LETTUCE,

	/** A connection from a pool for each command. */
	JEDIS;

	/**
	 * Every second process has Jedis, except where the store makes its own connections.
	 * @param process the number of a process
	 */
	static ChaosDriver of(int process, TopologyKind topology) {
		return (process % 2 == 0 || topology.isMajority()) ? LETTUCE : JEDIS;
	}

}
