package io.distributedlock.benchmarks.comparison;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures the time from the release of a lock in one process to its acquisition in
 * another one that waits. Both read the same monotonic clock. The floor is a raw pair
 * without contention, after the same pause.
 */
final class HandOff {

	private static final int SAMPLES = 100;

	/** Enough hand-offs for the JVM to compile their code. */
	private static final int WARM_UP = 3_000;

	/** Long enough for the other process to wait, and for threads to go to sleep. */
	private static final long LONGEST_PAUSE_NANOS = 12_000_000;

	/** Limit of a turn. A library that polls reaches it with fewer samples. */
	private static final long LIMIT_NANOS = 3_000_000_000L;

	private final WorkerProcess first;

	private final WorkerProcess second;

	private HandOff(WorkerProcess first, WorkerProcess second) {
		this.first = first;
		this.second = second;
	}

	static Table compare(Setting setting) throws Exception {
		Table table = new Table(
				"from the release in one process to the acquisition in another, %d rounds".formatted(setting.rounds()),
				true, Column.median("p50, ms", 3), Column.median("p99, ms", 3), Column.median("p99/p50", 1));
		try (WorkerProcess first = WorkerProcess.start(setting); WorkerProcess second = WorkerProcess.start(setting)) {
			HandOff handOff = new HandOff(first, second);
			Map<String, Library> candidates = new LinkedHashMap<>();
			candidates.put(setting.floor().label() + ", a pair", setting.floor());
			Participants.libraries(setting, Participants::waits)
				.forEach((library) -> candidates.put(library.label(), library));
			for (Library library : candidates.values()) {
				handOff.warmUp(library);
			}
			Rounds.take(candidates, 1, setting.rounds(), handOff::measure).forEach(table::add);
		}
		HotKey.explainMissing(setting, table);
		return table;
	}

	private void warmUp(Library library) throws IOException {
		if (Participants.waits(library)) {
			sample(library, WARM_UP, 0);
		}
		else {
			this.first.ask("pair %s %d 0", library, WARM_UP);
		}
	}

	private double[] measure(Library library) throws Exception {
		if (!Participants.waits(library)) {
			long nanos = this.first.ask("pair %s %d %d", library, SAMPLES, LONGEST_PAUSE_NANOS);
			return new double[] { nanos / 1e6, Double.NaN, Double.NaN };
		}
		double[] millis = sample(library, SAMPLES, LONGEST_PAUSE_NANOS);
		Arrays.sort(millis);
		double median = Rounds.quartile(millis, 2);
		double slow = millis[millis.length * 99 / 100];
		return new double[] { median, slow, slow / median };
	}

	/** Pause for a random time, at least half of the longest pause. */
	static void pause(long longest) {
		if (longest > 0) {
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest / 2, longest));
		}
	}

	private double[] sample(Library library, int wanted, long pause) throws IOException {
		double[] millis = new double[wanted];
		WorkerProcess holder = this.first;
		WorkerProcess waiter = this.second;
		holder.ask("hold %s passed", library);
		long end = System.nanoTime() + LIMIT_NANOS;
		int samples = 0;
		while (samples < wanted && System.nanoTime() < end) {
			waiter.send("hold %s passed", library);
			pause(pause);
			long released = holder.ask("release");
			millis[samples++] = (waiter.answer()[0] - released) / 1e6;
			WorkerProcess next = waiter;
			waiter = holder;
			holder = next;
		}
		holder.ask("release");
		return Arrays.copyOf(millis, samples);
	}

}
