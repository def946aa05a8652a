package io.distributedlock.chaos;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;

/** Faults of a master, its replicas and its Sentinels. */
final class SentinelFaults {

	private final RedisSentinels sentinels;

	SentinelFaults(RedisSentinels sentinels) {
		this.sentinels = sentinels;
	}

	Stream<Nemesis> all() {
		return Stream.of(new Nemesis("master-killed", this::killMaster),
				new Nemesis("master-stalled", this::stallMaster), new Nemesis("master-replaced", this::replaceMaster),
				new Nemesis("replica-killed", this::killReplica), new Nemesis("replica-stalled", this::stallReplica),
				new Nemesis("sentinel-stalled", this::stallSentinel));
	}

	/** Writes that the replicas have not got yet are lost. */
	private void killMaster(Arena arena, Random random) {
		try (Arena.Replacement replacement = arena.replacing()) {
			RedisServer master = this.sentinels.master();
			try (Fault outage = arena.fault(NemesisKind.OUTAGE, "master-killed");
					Fault failover = arena.fault(NemesisKind.FAILOVER, Event.ALL, "")) {
				master.kill();
				this.sentinels.awaitMasterOtherThan(master);
			}
			this.sentinels.rejoin(master);
		}
	}

	/** The old master takes commands until it learns that it is a replica. */
	private void stallMaster(Arena arena, Random random) throws InterruptedException {
		try (Arena.Replacement replacement = arena.replacing()) {
			RedisServer master = this.sentinels.master();
			try (Fault outage = arena.fault(NemesisKind.OUTAGE, "master-stalled");
					Fault failover = arena.fault(NemesisKind.FAILOVER, Event.ALL, "")) {
				master.pause();
				try {
					this.sentinels.awaitMasterOtherThan(master);
					arena.lasts(ProcessFaults.upTo(random, 500));
				}
				finally {
					master.resume();
				}
				this.sentinels.awaitAgreement();
			}
		}
	}

	private void replaceMaster(Arena arena, Random random) {
		try (Arena.Replacement replacement = arena.replacing();
				Fault outage = arena.fault(NemesisKind.OUTAGE, "master-replaced");
				Fault failover = arena.fault(NemesisKind.FAILOVER, Event.ALL, "")) {
			this.sentinels.failOver();
			this.sentinels.awaitAgreement();
		}
	}

	private void killReplica(Arena arena, Random random) throws InterruptedException {
		RedisServer replica = any(this.sentinels.replicas(), random);
		try (Fault noise = arena.fault(NemesisKind.NOISE, "replica-killed")) {
			replica.kill();
			arena.lasts(ProcessFaults.upTo(random, 1500));
			this.sentinels.rejoin(replica);
		}
	}

	private void stallReplica(Arena arena, Random random) throws InterruptedException {
		stall(arena, random, any(this.sentinels.replicas(), random), "replica-stalled");
	}

	private void stallSentinel(Arena arena, Random random) throws InterruptedException {
		stall(arena, random, any(this.sentinels.sentinels(), random), "sentinel-stalled");
	}

	private void stall(Arena arena, Random random, RedisServer server, String name) throws InterruptedException {
		try (Fault noise = arena.fault(NemesisKind.NOISE, name)) {
			server.pause();
			arena.lasts(ProcessFaults.upTo(random, 2500));
			server.resume();
			this.sentinels.awaitAgreement();
		}
	}

	private static RedisServer any(List<RedisServer> servers, Random random) {
		return servers.get(random.nextInt(servers.size()));
	}

}
