package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

import io.distributedlock.faults.FaultProxy;
import io.distributedlock.faults.FaultProxy.Direction;
import io.distributedlock.faults.ReplyFault;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;

/** Faults between one process and the server. */
final class NetworkFaults {

	static final List<Nemesis> ALL = List.of(
			lasting("connection-half-open", 4000, (proxy, random) -> proxy.blackHole()),
			new Nemesis("old-connections-silent", NetworkFaults::silenceOld),
			new Nemesis("idle-connections-closed", NetworkFaults::closeIdle),
			lasting("connections-refused", 3000, (proxy, random) -> proxy.refuse()),
			lasting("connections-reset", 1, (proxy, random) -> proxy.reset()),
			lasting("replies-lost", 3000, (proxy, random) -> proxy.drop(Direction.TO_CLIENT)),
			lasting("commands-lost", 3000, (proxy, random) -> proxy.drop(Direction.TO_SERVER)),
			lasting("replies-late", 3000, (proxy, random) -> proxy.delay(Direction.TO_CLIENT, late(random))),
			lasting("commands-late", 3000, (proxy, random) -> proxy.delay(Direction.TO_SERVER, late(random))),
			reply("reply-lost", (proxy) -> proxy.dropNextReply((any) -> true)),
			new Nemesis("reply-cut", NetworkFaults::cut),
			reply("reply-held", (proxy) -> proxy.holdNextReply((any) -> true)),
			new Nemesis("wake-ups-lost", NetworkFaults::losePushes));

	private NetworkFaults() {
	}

	private static Duration late(Random random) {
		return Duration.ofMillis(20 + random.nextInt(800));
	}

	private static Nemesis lasting(String name, int millis, Disturbance disturbance) {
		return new Nemesis(name, (arena, random) -> {
			WorkerProcess worker = arena.worker(random);
			try (Fault fault = arena.fault(NemesisKind.OUTAGE, worker, name)) {
				long seed = random.nextLong();
				worker.link().proxies().forEach((proxy) -> disturbance.on(proxy, new Random(seed)));
				arena.lasts(ProcessFaults.upTo(random, millis));
				worker.link().pass();
			}
		});
	}

	private static Nemesis reply(String name, Function<FaultProxy, ReplyFault> disturbance) {
		return new Nemesis(name, (arena, random) -> strike(arena, random, name, disturbance));
	}

	private static void cut(Arena arena, Random random) throws InterruptedException {
		int bytes = random.nextInt(30);
		strike(arena, random, "reply-cut", (proxy) -> proxy.cutNextReply((any) -> true, bytes));
	}

	private static void strike(Arena arena, Random random, String name, Function<FaultProxy, ReplyFault> disturbance)
			throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.OUTAGE, worker, name)) {
			ReplyFault struck = disturbance.apply(worker.link().any(random));
			arena.lasts(ProcessFaults.upTo(random, 1500));
			struck.release();
			worker.link().pass();
		}
	}

	/**
	 * Half open for good, while new connections are fine: after a while they have to be
	 * replaced, and nothing is excused any more.
	 */
	private static void silenceOld(Arena arena, Random random) throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.OUTAGE, worker, "old-connections-silent")) {
			worker.link().proxies().forEach(FaultProxy::silence);
			arena.lasts(ChaosSettings.REPLACED);
		}
		arena.lasts(ProcessFaults.upTo(random, 4000));
		worker.link().pass();
	}

	/** Close idle connections again and again, as servers and firewalls do. */
	private static void closeIdle(Arena arena, Random random) throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		try (Fault noise = arena.fault(NemesisKind.NOISE, worker, "idle-connections-closed")) {
			Duration idle = ProcessFaults.upTo(random, 400);
			worker.link().proxies().forEach((proxy) -> proxy.closeIdle(idle));
			arena.lasts(ProcessFaults.upTo(random, 4000));
			worker.link().pass();
		}
	}

	private static void losePushes(Arena arena, Random random) throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.NOISE, worker, "wake-ups-lost")) {
			worker.link().proxies().forEach(FaultProxy::dropPushes);
			arena.lasts(ProcessFaults.upTo(random, 3000));
			worker.link().pass();
		}
	}

	/** Makes a proxy misbehave. */
	@FunctionalInterface
	private interface Disturbance {

		void on(FaultProxy proxy, Random random);

	}

}
