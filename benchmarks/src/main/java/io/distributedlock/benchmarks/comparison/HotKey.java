package io.distributedlock.benchmarks.comparison;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures one key that many threads of one process want. Only the lock guards their
 * counter. The floor is one thread that has the key to itself.
 */
final class HotKey {

	private HotKey() {
	}

	static Table table(String title, boolean ratios, String among) {
		return new Table(title, ratios, Column.median("pairs/s", 0), Column.median("Jain index among " + among, 2),
				Column.median("longest wait, ms", 1), Column.total("lost updates"), Column.total("errors"));
	}

	static void explainMissing(Setting setting, Table table) {
		Participants.libraries(setting, (library) -> !Participants.waits(library))
			.stream()
			.filter((library) -> library != setting.floor())
			.forEach((library) -> table.addMissing(library.label(), library.cannotWait()));
	}

	static Table compare(Setting setting, int threads) throws Exception {
		Table table = table("%d threads of one process, one key, %d rounds".formatted(threads, setting.rounds()), true,
				"threads");
		try (Participants participants = Participants.open(setting,
				(library) -> library == setting.floor() || Participants.waits(library))) {
			Map<String, Crowd> crowds = new LinkedHashMap<>();
			participants.all().forEach((name, participant) -> {
				boolean floor = participant.library() == setting.floor();
				crowds.put(floor ? name + ", one thread" : name, new Crowd(participant, floor ? 1 : threads));
			});
			Rounds.take(crowds, 1, setting.rounds(), (crowd) -> crowd.measure(setting.sliceMillis()))
				.forEach(table::add);
		}
		explainMissing(setting, table);
		return table;
	}

	/**
	 * Threads of a library.
	 *
	 * @param participant the library
	 * @param threads the number of threads
	 */
	private record Crowd(Participant participant, int threads) {

		double[] measure(int millis) throws Exception {
			long[] counter = new long[1];
			List<Lock> locks = IntStream.range(0, this.threads).mapToObj((i) -> this.participant.lock("hot")).toList();
			return Contest.soon(millis, () -> counter[0]++).run(locks).figures(millis, counter[0]);
		}

	}

}
