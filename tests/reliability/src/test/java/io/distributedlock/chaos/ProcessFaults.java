package io.distributedlock.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;

/** Faults of the processes that hold locks and wait for them. */
final class ProcessFaults {

	/** The fault that only strikes where a release gives the lock to a waiter. */
	static final Nemesis AT_A_HAND_OFF = new Nemesis("process-stopped-at-a-hand-off", ProcessFaults::stopAtAHandOff);

	static final List<Nemesis> ALL = List.of(new Nemesis("process-killed", ProcessFaults::kill),
			new Nemesis("process-stopped", ProcessFaults::stop),
			new Nemesis("machine-suspended", ProcessFaults::suspend),
			new Nemesis("process-restarted", ProcessFaults::restart),
			new Nemesis("process-restored", ProcessFaults::restore),
			new Nemesis("processor-starved", ProcessFaults::starve));

	private ProcessFaults() {
	}

	private static void kill(Arena arena, Random random) throws IOException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.KILL, worker, "process-killed")) {
			worker.kill();
		}
		arena.replace(worker);
	}

	private static void stop(Arena arena, Random random) throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.STOP, worker, "process-stopped")) {
			worker.stop();
			arena.lasts(upTo(random, 4000));
			worker.resume();
		}
	}

	/** The body begins with the lease that the release has given. */
	private static void stopAtAHandOff(Arena arena, Random random) throws IOException, InterruptedException {
		WorkerProcess worker = arena.worker(random);
		worker.awaitHandOff();
		try (Fault fault = arena.fault(NemesisKind.STOP, worker, "process-stopped-at-a-hand-off")) {
			worker.stop();
			arena.lasts(upTo(random, 4000));
			worker.resume();
		}
	}

	/**
	 * The wall clock of the machine goes on meanwhile, and its monotonic clock does not.
	 */
	private static void suspend(Arena arena, Random random) throws InterruptedException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.STOP, worker, "machine-suspended")) {
			worker.stop();
			long stopped = System.nanoTime();
			arena.lasts(upTo(random, 4000));
			worker.link().clock().suspended(Duration.ofNanos(System.nanoTime() - stopped));
			worker.resume();
		}
	}

	private static void restart(Arena arena, Random random) throws IOException {
		WorkerProcess worker = arena.worker(random);
		try (Fault fault = arena.fault(NemesisKind.NOISE, worker, "process-restarted")) {
			worker.beginFinish();
			worker.awaitFinish();
		}
		arena.replace(worker);
	}

	/**
	 * A process ends, and another comes in its place that was restored from the image of
	 * a third, which works on. All that tells it is its wall clock, which has gone on
	 * since the image was made. A lock that was held then is held by both: one of them
	 * has to learn soon that it has lost it.
	 */
	private static void restore(Arena arena, Random random) throws IOException, InterruptedException {
		WorkerProcess ended = arena.worker(random);
		ended.beginFinish();
		ended.awaitFinish();
		WorkerProcess restored = arena.prepareInPlaceOf(ended);
		List<WorkerProcess> others = arena.workers().stream().filter((worker) -> worker != restored).toList();
		String image = others.get(random.nextInt(others.size())).image();
		String held = ProcessImage.heldKey(image);
		try (Fault fault = (held != null) ? arena.fault(NemesisKind.DOUBT, held, "process-cloned")
				: arena.fault(NemesisKind.NOISE, restored, "process-restored")) {
			restored.restore(image);
			restored.link().clock().step(Duration.ofSeconds(10).plus(upTo(random, 60_000)));
			restored.beginWork();
			arena.lasts(Duration.ofMillis((held != null) ? 500 : 0));
		}
	}

	private static void starve(Arena arena, Random random) throws InterruptedException {
		try (Fault fault = arena.fault(NemesisKind.NOISE, "processor-starved")) {
			List<Thread> busy = new ArrayList<>();
			for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
				busy.add(new Thread(() -> {
					while (!Thread.currentThread().isInterrupted()) {
						Thread.onSpinWait();
					}
				}, "busy"));
			}
			busy.forEach(Thread::start);
			arena.lasts(upTo(random, 2000));
			busy.forEach(Thread::interrupt);
		}
	}

	static Duration upTo(Random random, int millis) {
		return Duration.ofMillis(100 + random.nextInt(millis));
	}

}
