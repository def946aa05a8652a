package io.distributedlock.benchmarks.comparison;

import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.embedded.RedisServer;

/**
 * What all workloads share.
 *
 * @param server the only server
 * @param rounds how many rounds count where candidates take turns
 * @param sliceMillis how long a turn is
 * @param holdMillis how long a lock is held where others wait for it, and how long locks
 * are renewed: twice as long
 */
record Setting(RedisServer server, int rounds, int sliceMillis, int holdMillis) {

	/** Rounds that do not count: everything is compiled and connected then. */
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

	/** For turns that have to be longer. */
	Setting slower(int roundsAtMost, int factor) {
		return new Setting(this.server, Math.min(this.rounds, roundsAtMost), this.sliceMillis * factor,
				this.holdMillis);
	}

}
