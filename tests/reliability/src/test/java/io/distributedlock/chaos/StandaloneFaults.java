package io.distributedlock.chaos;

import java.util.Random;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;
import io.lettuce.core.api.sync.RedisCommands;

/** Faults of one server, which affect all processes. */
final class StandaloneFaults {

	private final RedisServer server;

	private final ServerAdmin admin;

	StandaloneFaults(RedisServer server, ServerAdmin admin) {
		this.server = server;
		this.admin = admin;
	}

	Stream<Nemesis> all() {
		return Stream.concat(ofOneNode(), Stream.of(new Nemesis("server-read-only", this::readOnly)));
	}

	/** The faults that are possible with a node of a cluster, too. */
	Stream<Nemesis> ofOneNode() {
		return Stream.of(new Nemesis("server-restarted-empty", this::restartEmpty),
				new Nemesis("server-restarted", this::restart), new Nemesis("server-stalled", this::stall),
				configured("memory-used-up", "maxmemory", "1mb", "0"), new Nemesis("locks-evicted", this::evict),
				configured("replicas-missing", "min-replicas-to-write", "1", "0"));
	}

	private void restartEmpty(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-restarted-empty")) {
			try (Fault loss = arena.fault(NemesisKind.LOSS, Event.ALL, "")) {
				this.server.kill();
				this.server.deleteData();
				this.server.start();
			}
			this.admin.awaitAnswer();
			arena.topology().awaitHealthy();
			arena.topology().tellTime();
		}
	}

	/**
	 * Commands answered within the last second before the end may be undone, since the
	 * file is written and flushed about once a second where the disk is slow.
	 */
	private void restart(Arena arena, Random random) {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-restarted")) {
			try (Fault loss = arena.fault(NemesisKind.FAILOVER, Event.ALL, "")) {
				this.server.kill();
				this.server.start();
			}
			this.admin.awaitAnswer();
			arena.topology().awaitHealthy();
		}
	}

	private void stall(Arena arena, Random random) throws InterruptedException {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-stalled")) {
			this.server.pause();
			arena.lasts(ProcessFaults.upTo(random, 3500));
			this.server.resume();
		}
	}

	private Nemesis configured(String name, String parameter, String fault, String healed) {
		return new Nemesis(name, (arena, random) -> {
			try (Fault outage = arena.fault(NemesisKind.OUTAGE, name)) {
				this.admin.commands().configSet(parameter, fault);
				arena.lasts(ProcessFaults.upTo(random, 2500));
				this.admin.commands().configSet(parameter, healed);
			}
		});
	}

	private void evict(Arena arena, Random random) throws InterruptedException {
		RedisCommands<String, String> commands = this.admin.commands();
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "locks-evicted");
				Fault doubt = arena.fault(NemesisKind.DOUBT, Event.ALL, "")) {
			commands.configSet("maxmemory-policy", "allkeys-random");
			commands.configSet("maxmemory", "1mb");
			arena.lasts(ProcessFaults.upTo(random, 500));
			commands.configSet("maxmemory", "0");
			commands.configSet("maxmemory-policy", "noeviction");
			arena.topology().tellTime();
		}
	}

	/** Make the server refuse writes, as an old primary does after a fail-over. */
	private void readOnly(Arena arena, Random random) throws InterruptedException {
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "server-read-only")) {
			this.admin.commands().replicaof("127.0.0.1", 1);
			arena.lasts(ProcessFaults.upTo(random, 2500));
			this.admin.commands().replicaofNoOne();
		}
	}

}
