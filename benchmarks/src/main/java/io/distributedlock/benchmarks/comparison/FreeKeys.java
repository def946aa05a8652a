package io.distributedlock.benchmarks.comparison;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;

import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures pairs of lock and unlock of free keys. Each thread has its own part of the
 * keys.
 */
final class FreeKeys {

	private FreeKeys() {
	}

	static Table compare(Setting setting, String title, int threads, int keys) throws Exception {
		Table table = new Table("%s, %d rounds".formatted(title, setting.rounds()), true, Column.median("pairs/s", 0));
		try (Participants participants = Participants.open(setting, (library) -> true)) {
			Rounds
				.take(participants.all(), Setting.WARM_UP, setting.rounds(),
						(participant) -> measure(participant, setting.sliceMillis(), threads, keys))
				.forEach(table::add);
		}
		return table;
	}

	/** Compare growing numbers of keys. */
	static Table grow(Setting setting, Predicate<Library> chosen, int... sizes) throws Exception {
		Table table = new Table("8 threads, %d rounds".formatted(setting.rounds()), false, Column.median("pairs/s", 0));
		try (Participants participants = Participants.open(setting, chosen)) {
			Map<String, Sized> candidates = new LinkedHashMap<>();
			participants.all().forEach((name, participant) -> {
				for (int size : sizes) {
					candidates.put("%s, %,d keys".formatted(name, size), new Sized(participant, size));
				}
			});
			Rounds
				.take(candidates, 1, setting.rounds(),
						(sized) -> measure(sized.participant(), setting.sliceMillis(), 8, sized.size()))
				.forEach(table::add);
		}
		return table;
	}

	private static double[] measure(Participant participant, int millis, int threads, int keys) throws Exception {
		long start = System.nanoTime();
		long end = start + millis * 1_000_000L;
		List<Future<Long>> counts = new ArrayList<>();
		for (int thread = 0; thread < threads; thread++) {
			int own = thread;
			counts.add(Threads.callers().submit(() -> run(participant, own, threads, keys, end)));
		}
		long pairs = 0;
		for (Future<Long> count : counts) {
			pairs += count.get();
		}
		return new double[] { pairs * 1e9 / (System.nanoTime() - start) };
	}

	private static long run(Participant participant, int own, int threads, int keys, long end) {
		long pairs = 0;
		for (; System.nanoTime() < end; pairs++) {
			int key = own + threads * ThreadLocalRandom.current().nextInt(keys / threads);
			Lock lock = participant.lock("order:" + key);
			lock.lock();
			lock.unlock();
		}
		return pairs;
	}

	/**
	 * A library with a number of keys.
	 *
	 * @param participant the library
	 * @param size the number of keys
	 */
	private record Sized(Participant participant, int size) {
	}

}
