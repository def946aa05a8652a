package io.distributedlock.chaos;

import java.util.List;
import java.util.Random;

import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

/** Faults of the server, which hit everybody. */
final class ServerFaults {

	static final List<Nemesis> ALL = List.of(new Nemesis("server-restarted-empty", ServerFaults::restartEmpty),
			new Nemesis("server-restarted", ServerFaults::restart), new Nemesis("server-stalled", ServerFaults::stall),
			new Nemesis("scripts-flushed", ServerFaults::flushScripts),
			new Nemesis("clients-killed", ServerFaults::killClients),
			new Nemesis("subscribers-killed", ServerFaults::killSubscribers),
			new Nemesis("lock-deleted", ServerFaults::deleteLock), new Nemesis("all-flushed", ServerFaults::flushAll),
			configured("memory-used-up", "maxmemory", "1mb", "0"), new Nemesis("locks-evicted", ServerFaults::evict),
			configured("replicas-missing", "min-replicas-to-write", "1", "0"),
			new Nemesis("server-read-only", ServerFaults::readOnly),
			new Nemesis("publish-denied", ServerFaults::denyPublish));

	private ServerFaults() {
	}

	private static void restartEmpty(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-restarted-empty")) {
			try (Fault loss = arena.fault(NemesisKind.LOSS, "")) {
				arena.server().kill();
				arena.server().deleteData();
				arena.server().start();
			}
			arena.admin().reconnect();
		}
	}

	/** What was written within the last second before the end may be lost. */
	private static void restart(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-restarted")) {
			try (Fault doubt = arena.fault(NemesisKind.DOUBT, "")) {
				arena.server().kill();
				arena.server().start();
			}
			arena.admin().reconnect();
		}
	}

	private static void stall(Arena arena, Random random) throws InterruptedException {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-stalled")) {
			arena.server().pause();
			arena.lasts(ProcessFaults.upTo(random, 3500));
			arena.server().resume();
		}
	}

	private static void flushScripts(Arena arena, Random random) {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "scripts-flushed")) {
			arena.admin().commands().scriptFlush();
		}
	}

	private static void killClients(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "clients-killed")) {
			arena.admin().commands().clientKill(KillArgs.Builder.typeNormal().skipme());
		}
	}

	private static void killSubscribers(Arena arena, Random random) {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "subscribers-killed")) {
			arena.admin().commands().clientKill(KillArgs.Builder.typePubsub());
		}
	}

	private static void deleteLock(Arena arena, Random random) {
		String key = arena.key(random);
		try (Fault loss = arena.fault(NemesisKind.LOSS, key, "lock-deleted")) {
			arena.admin().commands().del(ServerAdmin.redisKey(key));
		}
	}

	/** Not recorded, so that it looks as if the library had given locks away. */
	static void stealLocks(Arena arena, Random random) {
		while (!arena.isOver()) {
			arena.admin().commands().del(ServerAdmin.redisKey(arena.key(random)));
		}
	}

	private static void flushAll(Arena arena, Random random) {
		try (Fault loss = arena.fault(NemesisKind.LOSS, Event.ALL, "all-flushed")) {
			arena.admin().commands().flushall();
		}
	}

	private static Nemesis configured(String name, String parameter, String fault, String healed) {
		return new Nemesis(name, (arena, random) -> {
			try (Fault outage = arena.fault(NemesisKind.OUTAGE, name)) {
				arena.admin().commands().configSet(parameter, fault);
				arena.lasts(ProcessFaults.upTo(random, 2500));
				arena.admin().commands().configSet(parameter, healed);
			}
		});
	}

	private static void evict(Arena arena, Random random) throws InterruptedException {
		RedisCommands<String, String> server = arena.admin().commands();
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "locks-evicted");
				Fault doubt = arena.fault(NemesisKind.DOUBT, "")) {
			server.configSet("maxmemory-policy", "allkeys-random");
			server.configSet("maxmemory", "1mb");
			arena.lasts(ProcessFaults.upTo(random, 500));
			server.configSet("maxmemory", "0");
			server.configSet("maxmemory-policy", "noeviction");
		}
	}

	/** As an old primary after a fail-over. */
	private static void readOnly(Arena arena, Random random) throws InterruptedException {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-read-only")) {
			arena.admin().commands().replicaof("127.0.0.1", 1);
			arena.lasts(ProcessFaults.upTo(random, 2500));
			arena.admin().commands().replicaofNoOne();
		}
	}

	private static void denyPublish(Arena arena, Random random) throws InterruptedException {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "publish-denied")) {
			aclPublish(arena, "-publish");
			arena.lasts(ProcessFaults.upTo(random, 2500));
			aclPublish(arena, "+publish");
		}
	}

	private static void aclPublish(Arena arena, String rule) {
		arena.admin()
			.commands()
			.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8),
					new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("default").add(rule));
	}

}
