package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.faults.FaultProxy;
import io.distributedlock.faults.FaultProxy.Direction;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;

/**
 * Faults of independent nodes. No caller may notice a fault of a minority of them; the
 * next fault comes when locks are on all nodes again, and none is in quarantine.
 */
final class RedlockFaults {

	/** The time after which a restarted node counts again and has all held locks. */
	static final Duration RECOVERY = ChaosSettings.LONGEST_TTL.plus(ChaosSettings.COMMAND_TIMEOUT);

	private final RedlockTopology topology;

	RedlockFaults(RedlockTopology topology) {
		this.topology = topology;
	}

	Stream<Nemesis> all() {
		return Stream.of(new Nemesis("nodes-killed", this::killNodes),
				new Nemesis("nodes-restarted-empty", this::restartEmpty),
				new Nemesis("nodes-stalled", this::stallNodes),
				new Nemesis("nodes-cut-off",
						(arena, random) -> disturb(arena, random, "nodes-cut-off", FaultProxy::blackHole)),
				new Nemesis("nodes-late",
						(arena, random) -> disturb(arena, random, "nodes-late",
								(proxy) -> proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(100)))),
				new Nemesis("majority-stalled", this::stallMajority), new Nemesis("all-killed", this::killAll));
	}

	Stream<Nemesis> setting() {
		return Stream.of(new Nemesis("nodes-set-back", this::setBack));
	}

	Stream<Nemesis> forgetting() {
		return Stream.of(new Nemesis("nodes-forget", this::forget));
	}

	/**
	 * Permits need more nodes than a majority, and have to wait where too few are left.
	 */
	private FaultGroup tooFew(Arena arena, String proc, int missing) {
		int nodes = this.topology.servers().size();
		int needed = Wishes.PERMITS * nodes / (Wishes.PERMITS + 1) + 1;
		return (nodes - missing < needed) ? arena.outage(proc, ChaosKeys::isSemaphore) : new FaultGroup(List.of());
	}

	/** A fault of nodes, with the time to recover from it. */
	private void strike(Arena arena, List<RedisServer> nodes, String proc, Step step) throws InterruptedException {
		this.topology.watch().struck(nodes);
		try (FaultGroup few = tooFew(arena, proc, nodes.size())) {
			step.run();
			arena.lasts(RECOVERY);
		}
		finally {
			this.topology.watch().healed();
		}
	}

	private List<RedisServer> minority(Random random) {
		return some(random, 1 + random.nextInt((this.topology.servers().size() - 1) / 2));
	}

	private List<RedisServer> some(Random random, int count) {
		List<RedisServer> servers = new ArrayList<>(this.topology.servers());
		Collections.shuffle(servers, random);
		return servers.subList(0, count);
	}

	private void killNodes(Arena arena, Random random) throws InterruptedException {
		List<RedisServer> nodes = minority(random);
		strike(arena, nodes, Event.ALL, () -> {
			try (Fault noise = arena.fault(NemesisKind.NOISE, "nodes-killed");
					FaultGroup lines = arena.forgetting(this.topology.namesOf(nodes))) {
				nodes.forEach(RedisServer::kill);
				arena.lasts(ProcessFaults.upTo(random, 2500));
				nodes.forEach(RedisServer::start);
			}
		});
	}

	private void restartEmpty(Arena arena, Random random) throws InterruptedException {
		List<RedisServer> nodes = minority(random);
		strike(arena, nodes, Event.ALL, () -> {
			try (Fault noise = arena.fault(NemesisKind.NOISE, "nodes-restarted-empty");
					FaultGroup lines = arena.forgetting(this.topology.namesOf(nodes))) {
				nodes.forEach(this::restartEmpty);
			}
		});
	}

	private void restartEmpty(RedisServer node) {
		node.kill();
		node.deleteData();
		node.start();
		this.topology.admin(node).awaitAnswer();
		this.topology.tellTime();
	}

	private void stallNodes(Arena arena, Random random) throws InterruptedException {
		List<RedisServer> nodes = minority(random);
		strike(arena, nodes, Event.ALL, () -> {
			try (Fault noise = arena.fault(NemesisKind.NOISE, "nodes-stalled")) {
				nodes.forEach(RedisServer::pause);
				arena.lasts(ProcessFaults.upTo(random, 2500));
				nodes.forEach(RedisServer::resume);
			}
		});
	}

	/** A clock that goes back keeps nothing longer than it was taken for. */
	private void setBack(Arena arena, Random random) throws InterruptedException {
		List<RedisServer> nodes = minority(random);
		try (Fault noise = arena.fault(NemesisKind.NOISE, "nodes-set-back")) {
			nodes.forEach((node) -> this.topology.clock(node).step(Duration.ofSeconds(-1 - random.nextInt(20))));
		}
		arena.lasts(RECOVERY);
	}

	/** Without a restart a node cannot notice, and a lock may be on a bare majority. */
	private void forget(Arena arena, Random random) throws InterruptedException {
		List<RedisServer> nodes = minority(random);
		try (Fault doubt = arena.fault(NemesisKind.DOUBT, Event.ALL, "nodes-forget")) {
			nodes.forEach((node) -> this.topology.admin(node).commands().flushall());
		}
		arena.lasts(RECOVERY);
	}

	/** Only for one process, which has a majority still. */
	private void disturb(Arena arena, Random random, String name, Consumer<FaultProxy> disturbance)
			throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		List<RedisServer> nodes = minority(random);
		List<FaultProxy> disturbed = nodes.stream().map(worker.link()::to).toList();
		strike(arena, nodes, worker.proc(), () -> {
			try (Fault noise = arena.fault(NemesisKind.NOISE, worker, name)) {
				disturbed.forEach(disturbance);
				arena.lasts(ProcessFaults.upTo(random, 2500));
				disturbed.forEach(FaultProxy::pass);
			}
		});
	}

	private void stallMajority(Arena arena, Random random) throws InterruptedException {
		List<RedisServer> nodes = some(random, this.topology.servers().size() / 2 + 1);
		strike(arena, nodes, Event.ALL, () -> {
			try (Fault outage = arena.fault(NemesisKind.OUTAGE, "majority-stalled")) {
				nodes.forEach(RedisServer::pause);
				arena.lasts(ProcessFaults.upTo(random, 2500));
				nodes.forEach(RedisServer::resume);
			}
		});
	}

	/** No lock is granted until the longest lease would be over. */
	private void killAll(Arena arena, Random random) throws InterruptedException {
		this.topology.watch().struck(this.topology.servers());
		try (Fault outage = arena.fault(NemesisKind.OUTAGE, "all-killed")) {
			this.topology.servers().forEach(RedisServer::kill);
			this.topology.servers().forEach(RedisServer::start);
			arena.lasts(RECOVERY);
		}
		finally {
			this.topology.watch().healed();
		}
	}

	/** A part of a fault that lasts for a while. */
	@FunctionalInterface
	private interface Step {

		void run() throws InterruptedException;

	}

}
