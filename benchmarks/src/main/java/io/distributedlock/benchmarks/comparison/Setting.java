package io.distributedlock.benchmarks.comparison;

import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.embedded.RedisServer;

/**
 * The settings of all workloads.
 *
 * @param server the Redis server
 * @param database the JDBC address of PostgreSQL if locks in it are compared, else empty
 * @param rounds the number of rounds that count where candidates take turns
 * @param sliceMillis the length of a turn
 * @param holdMillis the time that a lock is held while others wait for it; locks are
 * renewed for twice that time
 */
record Setting(RedisServer server, String database, int rounds, int sliceMillis, int holdMillis) {

	/** Number of rounds that do not count: they compile the code and open connections. */
	static final int WARM_UP = 2;

	static Setting of(RedisServer server) {
		return new Setting(server, "", Integer.getInteger("comparison.rounds", 9),
				Integer.getInteger("comparison.slice", 300), Integer.getInteger("comparison.hold", 10_000));
	}

	/** Return settings for locks in PostgreSQL. */
	Setting on(String otherDatabase) {
		return new Setting(this.server, otherDatabase, this.rounds, this.sliceMillis, this.holdMillis);
	}

	/** Return {@code true} if a library keeps its locks where they are compared. */
	boolean includes(Library library) {
		return library.isOnPostgres() != this.database.isEmpty();
	}

	/** Return the raw commands to which others are compared. */
	Library floor() {
		return this.database.isEmpty() ? Library.LETTUCE : Library.SQL_RAW;
	}

	Place place() {
		return Place.of(this.server.host(), this.server.port(), this.database);
	}

	ServerFigures figures() {
		return new ServerFigures(this.server);
	}

	/** Return settings with longer turns, and a limit to the rounds. */
	Setting slower(int roundsAtMost, int factor) {
		return new Setting(this.server, this.database, Math.min(this.rounds, roundsAtMost), this.sliceMillis * factor,
				this.holdMillis);
	}

}
