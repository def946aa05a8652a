package io.distributedlock.benchmarks.comparison;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.benchmarks.protocol.ProcessFigures;
import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures many locks that one process holds and renews. Each library has the server to
 * itself, so all scripts are its own.
 */
final class HeldLocks {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static final int WARM_UP = 500;

	private final Setting setting;

	private final int size;

	private final int pairsBetween;

	private HeldLocks(Setting setting, int size, int pairsBetween) {
		this.setting = setting;
		this.size = size;
		this.pairsBetween = pairsBetween;
	}

	/** Compare locks that are taken without other pairs in between. */
	static Table compare(Setting setting, int size) throws Exception {
		return compare(new HeldLocks(setting, size, 0), "%,d locks held".formatted(size));
	}

	/** Compare locks that are each taken after some short pairs. */
	static Table compareAfterBurst(Setting setting, int size, int pairsBetween) throws Exception {
		return compare(new HeldLocks(setting, size, pairsBetween),
				"%,d locks held, %d pairs before each".formatted(size, pairsBetween));
	}

	private static Table compare(HeldLocks locks, String title) throws Exception {
		double seconds = locks.setting.holdMillis() * 2 / 1e3;
		Table table = new Table("%s and renewed for %.0f s, lease %d s".formatted(title, seconds, LEASE.toSeconds()),
				false, Column.median("scripts/s", 1), Column.median("bytes of heap for a lock, with its key", 0),
				Column.median("threads", 0), Column.median("threads without the driver's", 0),
				Column.total("releases that failed"));
		for (Library library : Library.values()) {
			if (locks.setting.includes(library) && library.cannotRenew().isEmpty() && library != Library.OWN_OBSERVED) {
				table.add(library.label(), List.of(locks.measure(library)));
			}
		}
		Participants.libraries(locks.setting, (library) -> !library.cannotRenew().isEmpty())
			.forEach((library) -> table.addMissing(library.label(), library.cannotRenew()));
		return table;
	}

	private double[] measure(Library library) throws Exception {
		Set<Long> before = Threads.live();
		ServerFigures figures = this.setting.figures();
		try (Participant participant = Participant.open(library, this.setting.place().renewed(LEASE))) {
			warmUp(participant);
			Object[] held = new Object[this.size];
			boolean weighed = this.pairsBetween == 0;
			long heap = weighed ? ProcessFigures.heap() : 0;
			for (int i = 0; i < this.size; i++) {
				pass(participant, i);
				held[i] = hold(participant, "order:" + i);
			}
			double bytes = weighed ? (double) (ProcessFigures.heap() - heap) / this.size : Double.NaN;
			long scripts = figures.scripts();
			long start = System.nanoTime();
			TimeUnit.MILLISECONDS.sleep(this.setting.holdMillis() * 2L);
			double rate = (figures.scripts() - scripts) * 1e9 / (System.nanoTime() - start);
			List<String> threads = Threads.since(before);
			long own = threads.stream().filter((name) -> !Threads.isOfDriver(name)).count();
			return new double[] { rate, bytes, threads.size(), own, release(participant, held) };
		}
	}

	/**
	 * Hold all locks at once, so that renewal begins only once: see the documentation on
	 * Redisson.
	 */
	private static void warmUp(Participant participant) {
		Object[] first = new Object[WARM_UP];
		for (int i = 0; i < first.length; i++) {
			first[i] = hold(participant, "first:" + i);
		}
		release(participant, first);
	}

	private static Object hold(Participant participant, String key) {
		return participant.candidate().hold(participant.library().key(key));
	}

	private void pass(Participant participant, int number) {
		for (int i = 0; i < this.pairsBetween; i++) {
			Lock lock = participant.lock("passing:" + number + ":" + i);
			lock.lock();
			lock.unlock();
		}
	}

	private static int release(Participant participant, Object[] held) {
		int failed = 0;
		for (Object one : held) {
			try {
				participant.candidate().release(one);
			}
			catch (RuntimeException ex) {
				failed++;
			}
		}
		return failed;
	}

}
