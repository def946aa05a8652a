package io.distributedlock.benchmarks.comparison;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures one key that growing numbers of instances or waiters want.
 */
final class Growth {

	private static final int LIMIT_SECONDS = 30;

	private static final int FEW = 4;

	private Growth() {
	}

	/**
	 * Compare growing numbers of instances, with their own connections and a thread each.
	 */
	static Table instances(Setting setting, List<Library> libraries, int... sizes) throws Exception {
		Table table = HotKey.table("instances with a thread each, one key, %d rounds".formatted(setting.rounds()),
				false, "instances");
		for (Library library : libraries) {
			List<Participant> all = new ArrayList<>();
			try {
				while (all.size() < sizes[sizes.length - 1]) {
					all.add(Participant.open(library, setting.place()));
				}
				Map<String, List<Lock>> crowds = new LinkedHashMap<>();
				for (int size : sizes) {
					List<Lock> locks = all.stream().limit(size).map((one) -> one.lock("instances")).toList();
					crowds.put("%s, %d".formatted(library.label(), size), locks);
				}
				Rounds.take(crowds, 1, setting.rounds(), (locks) -> count(locks, setting.sliceMillis()))
					.forEach(table::add);
			}
			finally {
				all.forEach(Participant::close);
			}
		}
		return table;
	}

	private static double[] count(List<Lock> locks, int millis) throws Exception {
		long[] counter = new long[1];
		return Contest.soon(millis, () -> counter[0]++).run(locks).figures(millis, counter[0]);
	}

	/** Compare growing numbers of waiters in one process, which have no threads. */
	static Table waiters(Setting setting, List<Library> libraries, int... sizes) throws Exception {
		Table table = new Table("waiters without threads, one key", false,
				Column.median("hand-offs/s once it is released", 0), Column.median("commands for each", 2));
		for (Library library : libraries) {
			for (int size : sizes) {
				try (Participant participant = Participant.open(library, setting.place())) {
					drain(participant, setting.figures(), "warm", Math.min(size, 200));
					table.add("%s, %,d".formatted(library.label(), size),
							List.of(drain(participant, setting.figures(), "waited", size)));
				}
			}
		}
		return table;
	}

	private static double[] drain(Participant participant, ServerFigures figures, String name, int size)
			throws Exception {
		String key = participant.library().key(name);
		Runnable first = participant.candidate().lockAsync(key).toCompletableFuture().get();
		CountDownLatch served = new CountDownLatch(size);
		AtomicLong last = new AtomicLong();
		for (int i = 0; i < size; i++) {
			participant.candidate().lockAsync(key).thenAccept((release) -> {
				last.accumulateAndGet(System.nanoTime(), Math::max);
				release.run();
				served.countDown();
			});
		}
		awaitQuiet(figures);
		long commands = figures.commands();
		long start = System.nanoTime();
		first.run();
		boolean all = served.await(LIMIT_SECONDS, TimeUnit.SECONDS);
		double rate = all ? size * 1e9 / (last.get() - start) : Double.NaN;
		return new double[] { rate, (double) (figures.commands() - commands) / size };
	}

	/**
	 * Wait until hardly a command comes any more: then each waiter has attempted once.
	 */
	private static void awaitQuiet(ServerFigures figures) throws InterruptedException {
		long before = -FEW;
		for (long now = figures.commands(); now - before >= FEW; now = figures.commands()) {
			before = now;
			TimeUnit.MILLISECONDS.sleep(200);
		}
	}

}
