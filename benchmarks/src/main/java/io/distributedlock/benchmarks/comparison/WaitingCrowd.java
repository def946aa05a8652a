package io.distributedlock.benchmarks.comparison;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures threads of one process that wait for a key of another process, and then get it
 * one after the other. Each library has the server to itself, so all commands are its
 * own.
 */
final class WaitingCrowd {

	private static final int LIMIT_SECONDS = 60;

	private final Setting setting;

	private final ServerFigures figures;

	private final int size;

	private final AtomicLong lastServed = new AtomicLong();

	private final AtomicInteger errors = new AtomicInteger();

	private final CountDownLatch served;

	private WaitingCrowd(Setting setting, int size) {
		this.setting = setting;
		this.figures = setting.figures();
		this.size = size;
		this.served = new CountDownLatch(size);
	}

	static Table compare(Setting setting, int size) throws Exception {
		Table table = new Table(
				"%d threads wait %.0f s for another process".formatted(size, setting.holdMillis() / 1e3), false,
				Column.median("commands/s while waiting", 1), Column.median("ms until all have had it", 1),
				Column.median("commands for that", 0), Column.total("errors"));
		try (WorkerProcess holder = WorkerProcess.start(setting)) {
			for (Library library : Participants.libraries(setting, Participants::waits)) {
				table.add(library.label(), List.of(new WaitingCrowd(setting, size).measure(library, holder)));
			}
		}
		Participants.libraries(setting, (library) -> !Participants.waits(library))
			.forEach((library) -> table.addMissing(library.label(), library.cannotWait()));
		return table;
	}

	private double[] measure(Library library, WorkerProcess holder) throws Exception {
		try (Participant participant = Participant.open(library, this.setting.place())) {
			holder.ask("hold %s %s", library, "crowd");
			for (int i = 0; i < this.size; i++) {
				Threads.callers().execute(() -> serve(participant));
			}
			TimeUnit.MILLISECONDS.sleep(this.setting.holdMillis() / 5);
			long before = this.figures.commands();
			long start = System.nanoTime();
			TimeUnit.MILLISECONDS.sleep(this.setting.holdMillis() * 4 / 5);
			long arrived = this.figures.commands();
			double rate = (arrived - before) * 1e9 / (System.nanoTime() - start);
			long released = holder.ask("release");
			boolean all = this.served.await(LIMIT_SECONDS, TimeUnit.SECONDS);
			double drained = all ? (this.lastServed.get() - released) / 1e6 : Double.NaN;
			double commands = this.figures.commands() - arrived;
			holder.ask("close %s", library);
			return new double[] { rate, drained, commands, this.errors.get() };
		}
	}

	private void serve(Participant participant) {
		try {
			var lock = participant.lock("crowd");
			lock.lock();
			this.lastServed.accumulateAndGet(System.nanoTime(), Math::max);
			lock.unlock();
		}
		catch (RuntimeException ex) {
			this.errors.incrementAndGet();
		}
		this.served.countDown();
	}

}
