package io.distributedlock.benchmarks.comparison;

import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.embedded.RedisServer;

/**
 * The settings of all workloads.
 *
 * @param server the only server
 * @param rounds the number of rounds that count where candidates take turns
 * @param sliceMillis the length of a turn
 * @param holdMillis the time that a lock is held while others wait for it; locks are
 * renewed for twice that time
 */
record Setting(RedisServer server, int rounds, int sliceMillis, int holdMillis) {

	/** Number of rounds that do not count: they compile the code and open connections. */
	static final int WARM_UP = 2;

	static Setting of(RedisServer server) {
		return new Setting(server, Integer.getInteger("comparison.rounds", 9),
				Integer.getInteger("comparison.slice", 300), Integer.getInteger("comparison.hold", 10_000));
	}

	Place place() {
		return Place.of(this.server.host(), this.server.port());
	}

	ServerFigures figures() {
		return new ServerFigures(this.server);
	}

	/** Return settings with longer turns, and a limit to the rounds. */
	Setting slower(int roundsAtMost, int factor) {
		return new Setting(this.server, Math.min(this.rounds, roundsAtMost), this.sliceMillis * factor,
				this.holdMillis);
	}

}
