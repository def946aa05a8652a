package io.distributedlock.chaos;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;

/** Faults of a cluster. A fault of a master hits its own locks and no others. */
final class ClusterFaults {

	private final RedisCluster cluster;

	ClusterFaults(RedisCluster cluster) {
		this.cluster = cluster;
	}

	Stream<Nemesis> all() {
		return Stream.of(new Nemesis("master-killed", this::killMaster), new Nemesis("slot-moved", this::moveSlot),
				new Nemesis("master-stalled", this::stallMaster), new Nemesis("master-replaced", this::replaceMaster),
				new Nemesis("replica-killed", this::killReplica));
	}

	private void killMaster(Arena arena, Random random) {
		try (Arena.Replacement replacement = arena.replacing()) {
			String key = arena.key(random);
			int slot = slot(key);
			RedisServer master = this.cluster.masterOf(slot);
			List<String> keys = keysOf(arena, master);
			try (FaultGroup outage = arena.faults(NemesisKind.OUTAGE, keys, "master-killed");
					FaultGroup failover = arena.faults(NemesisKind.FAILOVER, keys, "")) {
				master.kill();
				this.cluster.awaitMasterOtherThan(slot, master);
			}
			master.start();
			this.cluster.awaitHealthy();
		}
	}

	/** The old master takes commands until it learns that it is a replica. */
	private void stallMaster(Arena arena, Random random) throws InterruptedException {
		try (Arena.Replacement replacement = arena.replacing()) {
			String key = arena.key(random);
			int slot = slot(key);
			RedisServer master = this.cluster.masterOf(slot);
			List<String> keys = keysOf(arena, master);
			try (FaultGroup outage = arena.faults(NemesisKind.OUTAGE, keys, "master-stalled");
					FaultGroup failover = arena.faults(NemesisKind.FAILOVER, keys, "")) {
				master.pause();
				try {
					this.cluster.awaitMasterOtherThan(slot, master);
					arena.lasts(ProcessFaults.upTo(random, 500));
				}
				finally {
					master.resume();
				}
				this.cluster.awaitHealthy();
			}
		}
	}

	/** Replace a master by an orderly fail-over, which may not lose anything. */
	private void replaceMaster(Arena arena, Random random) {
		try (Arena.Replacement replacement = arena.replacing()) {
			RedisServer master = this.cluster.masterOf(slot(arena.key(random)));
			try (FaultGroup outage = arena.faults(NemesisKind.OUTAGE, keysOf(arena, master), "master-replaced")) {
				this.cluster.failOver(master);
				this.cluster.awaitHealthy();
			}
		}
	}

	private void killReplica(Arena arena, Random random) throws InterruptedException {
		RedisServer master = this.cluster.masterOf(slot(arena.key(random)));
		RedisServer replica = this.cluster.replicasOf(master).get(0);
		try (Fault noise = arena.fault(NemesisKind.NOISE, "replica-killed")) {
			replica.kill();
			arena.lasts(ProcessFaults.upTo(random, 1500));
			replica.start();
			this.cluster.awaitHealthy();
		}
	}

	/** The lock is held or waited for meanwhile, and no caller may notice. */
	private void moveSlot(Arena arena, Random random) throws InterruptedException {
		String key = arena.key(random);
		int slot = slot(key);
		RedisServer source = this.cluster.masterOf(slot);
		List<RedisServer> others = this.cluster.masters().stream().filter((master) -> master != source).toList();
		RedisServer target = others.get(random.nextInt(others.size()));
		try (Fault fault = arena.fault(ChaosKeys.isTagged(key) ? NemesisKind.OUTAGE : NemesisKind.NOISE, key,
				"slot-moved")) {
			this.cluster.beginMove(slot, target);
			arena.lasts(ProcessFaults.upTo(random, 700));
			this.cluster.moveKeys(slot, target, this.cluster.keysOf(slot).stream().limit(1).toList());
			arena.lasts(ProcessFaults.upTo(random, 700));
			this.cluster.endMove(slot, target);
		}
	}

	private int slot(String key) {
		return this.cluster.slotOf(ServerAdmin.redisKey(key));
	}

	private List<String> keysOf(Arena arena, RedisServer master) {
		return arena.keys().stream().filter((key) -> this.cluster.masterOf(slot(key)) == master).toList();
	}

}
