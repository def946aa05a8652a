package io.distributedlock.faults;

import io.distributedlock.embedded.RedisServer;

import static org.awaitility.Awaitility.await;

/** How far a replica is. */
final class Replication {

	private Replication() {
	}

	/** Wait until a replica has all that its master has now. */
	static void awaitCaughtUp(RedisServer master, RedisServer replica) {
		long offset = number(master, "master_repl_offset:");
		await().until(() -> number(replica, "slave_repl_offset:") >= offset);
	}

	private static long number(RedisServer server, String field) {
		return server.ask("INFO", "replication")
			.toString()
			.lines()
			.filter((line) -> line.startsWith(field))
			.mapToLong((line) -> Long.parseLong(line.substring(field.length()).strip()))
			.findFirst()
			.orElseThrow();
	}

}
