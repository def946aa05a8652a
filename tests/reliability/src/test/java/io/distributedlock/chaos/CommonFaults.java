package io.distributedlock.chaos;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;
import io.lettuce.core.KillArgs;

import static org.awaitility.Awaitility.await;

/** Faults of the servers that there can be wherever the locks are. */
final class CommonFaults {

	private CommonFaults() {
	}

	static Stream<Nemesis> all() {
		return Stream.concat(disturbing(), Stream.of(new Nemesis("lock-deleted", CommonFaults::deleteLock),
				new Nemesis("all-flushed", CommonFaults::flushAll)));
	}

	/** The faults by which the store does not forget anything. */
	static Stream<Nemesis> disturbing() {
		return Stream.of(new Nemesis("scripts-flushed", CommonFaults::flushScripts),
				new Nemesis("clients-killed", CommonFaults::killClients),
				new Nemesis("subscribers-killed", CommonFaults::killSubscribers),
				new Nemesis("publish-denied", CommonFaults::denyPublish));
	}

	private static void flushScripts(Arena arena, Random random) {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "scripts-flushed")) {
			arena.topology().admins().forEach((admin) -> admin.commands().scriptFlush());
		}
	}

	private static void killClients(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "clients-killed")) {
			arena.topology()
				.admins()
				.forEach((admin) -> admin.commands().clientKill(KillArgs.Builder.typeNormal().skipme()));
		}
	}

	private static void killSubscribers(Arena arena, Random random) {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "subscribers-killed")) {
			arena.topology().admins().forEach((admin) -> admin.commands().clientKill(KillArgs.Builder.typePubsub()));
		}
	}

	private static void deleteLock(Arena arena, Random random) {
		String key = arena.key(random);
		try (Fault loss = arena.fault(NemesisKind.LOSS, key, "lock-deleted")) {
			delete(arena, key);
		}
	}

	private static void delete(Arena arena, String key) {
		arena.topology().adminsOf(key).forEach((admin) -> admin.commands().del(ServerAdmin.redisKey(key)));
	}

	/**
	 * Give away a lock without a record, as a library would that grants a held lock: the
	 * run holds it by a lease that outlasts the run, deletes it, and goes on to hold it
	 * until a worker has written under the same lock.
	 */
	static void giveAway(Arena arena, Random random) throws Exception {
		String key = arena.settings().chaosKeys().busy(0);
		try (Arena.Holder holder = arena.hold(key)) {
			long before = arena.registers().get(key);
			delete(arena, key);
			await().forever().until(() -> arena.registers().get(key) > before);
		}
	}

	/** Stop servers and processes without a record, as if the machine had stood still. */
	static void standStill(Arena arena, Random random) throws InterruptedException {
		arena.topology().servers().forEach(RedisServer::pause);
		arena.workers().forEach((worker) -> signal(worker::stop));
		arena.lasts(Duration.ofMillis(1500));
		arena.workers().forEach((worker) -> signal(worker::resume));
		arena.topology().servers().forEach(RedisServer::resume);
	}

	private static void signal(Runnable signal) {
		try {
			signal.run();
		}
		catch (IllegalStateException ex) {
			// It was killed meanwhile.
		}
	}

	private static void flushAll(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "all-flushed");
				Fault loss = arena.fault(NemesisKind.LOSS, Event.ALL, "")) {
			arena.topology().admins().forEach((admin) -> admin.commands().flushall());
			arena.topology().tellTime();
		}
	}

	private static void denyPublish(Arena arena, Random random) throws InterruptedException {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "publish-denied")) {
			arena.topology().servers().forEach((server) -> server.ask("ACL", "SETUSER", "default", "-publish"));
			arena.lasts(ProcessFaults.upTo(random, 2500));
			arena.topology().servers().forEach((server) -> server.ask("ACL", "SETUSER", "default", "+publish"));
		}
	}

}
