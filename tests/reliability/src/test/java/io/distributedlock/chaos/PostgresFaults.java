package io.distributedlock.chaos;

import java.util.List;
import java.util.Random;

import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.store.LockKey;

/** Faults of a PostgreSQL, which affect all processes. */
final class PostgresFaults {

	private final PostgresServer server;

	private final PostgresAdmin admin;

	private final boolean durable;

	/**
	 * Create the faults.
	 * @param durable whether a crash forgets nothing that was answered
	 */
	PostgresFaults(PostgresServer server, PostgresAdmin admin, boolean durable) {
		this.server = server;
		this.admin = admin;
		this.durable = durable;
	}

	List<Nemesis> all() {
		return List.of(new Nemesis("server-crashed", this::crash), new Nemesis("server-restarted", this::restart),
				new Nemesis("server-process-killed", this::killOneProcess), new Nemesis("server-stalled", this::stall),
				new Nemesis("clients-killed", (arena, random) -> endAll(arena)),
				new Nemesis("subscribers-killed", (arena, random) -> endListening(arena)),
				new Nemesis("table-locked", this::lockTable), new Nemesis("lock-deleted", this::deleteLock),
				new Nemesis("all-deleted", (arena, random) -> deleteAll(arena)));
	}

	private void crash(Arena arena, Random random) {
		crash(arena, "server-crashed", () -> {
			this.server.crash();
			this.server.restart();
			this.admin.awaitAnswer();
		});
	}

	/** The server ends all connections then, and recovers as after a crash. */
	private void killOneProcess(Arena arena, Random random) {
		crash(arena, "server-process-killed", this.admin::killItsProcess);
	}

	private void crash(Arena arena, String name, Runnable crash) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, name)) {
			if (this.durable) {
				crash.run();
			}
			else {
				try (Fault forgotten = arena.fault(NemesisKind.FAILOVER, Event.ALL, "")) {
					crash.run();
				}
			}
		}
	}

	/** In order, by which nothing is forgotten. */
	private void restart(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-restarted")) {
			this.server.stop();
			this.server.restart();
			this.admin.awaitAnswer();
		}
	}

	private void stall(Arena arena, Random random) throws InterruptedException {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-stalled")) {
			this.server.pause();
			arena.lasts(ProcessFaults.upTo(random, 3500));
			this.server.resume();
		}
	}

	private void endAll(Arena arena) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "clients-killed")) {
			this.admin.endConnections(PostgresConnections.NAME + "%");
		}
	}

	private void endListening(Arena arena) {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "subscribers-killed")) {
			this.admin.endConnections(PostgresConnections.LISTENING);
		}
	}

	/** Let all statements on locks wait. */
	private void lockTable(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "table-locked")) {
			long millis = ProcessFaults.upTo(random, 2500).toMillis();
			this.admin.jdbc()
				.execute("BEGIN; LOCK TABLE distributed_lock; SELECT pg_sleep(%s / 1000.0); COMMIT".formatted(millis));
		}
	}

	private void deleteLock(Arena arena, Random random) {
		String key = arena.key(random);
		try (Fault loss = arena.fault(NemesisKind.LOSS, key, "lock-deleted")) {
			this.admin.jdbc().update("DELETE FROM distributed_lock WHERE name = ?", new LockKey("", key).encoded());
		}
	}

	private void deleteAll(Arena arena) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "all-deleted");
				Fault loss = arena.fault(NemesisKind.LOSS, Event.ALL, "")) {
			this.admin.jdbc().execute("TRUNCATE distributed_lock");
		}
	}

}
