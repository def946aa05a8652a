package io.distributedlock.benchmarks.comparison;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.benchmarks.comparison.Contest.Outcome;
import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;

/**
 * Measures one key that threads of several processes want. With the lock they read a
 * counter in Redis and write it, in two commands. The floor is one thread of one process.
 */
final class SharedKey {

	private static final long HEAD_START_NANOS = 50_000_000;

	private final List<WorkerProcess> workers;

	private final Setting setting;

	private SharedKey(List<WorkerProcess> workers, Setting setting) {
		this.workers = workers;
		this.setting = setting;
	}

	static Table compare(Setting setting, int processes, int threads) throws Exception {
		Table table = HotKey.table(
				"%d processes of %d threads, one key, %d rounds".formatted(processes, threads, setting.rounds()), true,
				"processes");
		List<WorkerProcess> workers = WorkerProcess.start(setting, processes);
		try {
			SharedKey shared = new SharedKey(workers, setting);
			Map<String, Crowd> crowds = new LinkedHashMap<>();
			crowds.put(setting.floor().label() + ", one thread", new Crowd(setting.floor(), 1, 1));
			Participants.libraries(setting, Participants::waits)
				.forEach((library) -> crowds.put(library.label(), new Crowd(library, processes, threads)));
			Rounds.take(crowds, Setting.WARM_UP, setting.rounds(), shared::measure).forEach(table::add);
		}
		finally {
			workers.forEach(WorkerProcess::close);
		}
		HotKey.explainMissing(setting, table);
		return table;
	}

	private double[] measure(Crowd crowd) throws Exception {
		this.setting.server().ask("SET", Worker.COUNTER, "0");
		long start = System.nanoTime() + HEAD_START_NANOS;
		List<WorkerProcess> active = this.workers.subList(0, crowd.processes());
		active.forEach((worker) -> worker.send("count %s %d %d %d", crowd.library(), start, this.setting.sliceMillis(),
				crowd.threads()));
		List<Outcome> outcomes = new ArrayList<>();
		for (WorkerProcess worker : active) {
			long[] answer = worker.answer();
			outcomes.add(new Outcome(new long[] { answer[0] }, answer[1], answer[2], (int) answer[3]));
		}
		long counted = Long.parseLong((String) this.setting.server().ask("GET", Worker.COUNTER));
		return Outcome.of(outcomes).figures(this.setting.sliceMillis(), counted);
	}

	/**
	 * The threads that want the key.
	 *
	 * @param library the library of the lock
	 * @param processes the number of processes
	 * @param threads the number of threads of each process
	 */
	private record Crowd(Library library, int processes, int threads) {
	}

}
