package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.locks.Lock;

import io.distributedlock.benchmarks.protocol.ProcessFigures;
import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.ServerFigures;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures the cost of a pair of lock and unlock of a free key for client and server, on
 * one thread.
 */
final class PairCost {

	private static final int PAIRS = 3_000;

	private static final int KEYS = 1_000;

	private PairCost() {
	}

	static Table compare(Setting setting) throws Exception {
		Table table = new Table("for a pair of lock and unlock, %d rounds".formatted(setting.rounds()), true,
				Column.median("µs of CPU, this process", 1), Column.median("µs of CPU, server", 1),
				Column.median("commands, with those in scripts", 2), Column.median("bytes, both ways", 0),
				Column.median("bytes allocated", 0), Column.median("threads of the library and its driver", 0));
		ServerFigures figures = setting.figures();
		try (Participants participants = Participants.open(setting, (library) -> true)) {
			Rounds
				.take(participants.all(), Setting.WARM_UP, setting.rounds(),
						(participant) -> measure(participant, figures))
				.forEach(table::add);
		}
		return table;
	}

	private static double[] measure(Participant participant, ServerFigures figures) {
		double commands = -figures.commands();
		double bytes = -figures.bytes();
		double server = -figures.cpuMicros();
		double allocated = -ProcessFigures.allocated();
		double client = -ProcessFigures.cpuMicros();
		for (int i = 0; i < PAIRS; i++) {
			Lock lock = participant.lock("order:" + i % KEYS);
			lock.lock();
			lock.unlock();
		}
		client += ProcessFigures.cpuMicros();
		allocated += ProcessFigures.allocated();
		server += figures.cpuMicros();
		bytes += figures.bytes();
		commands += figures.commands();
		return new double[] { client / PAIRS, server / PAIRS, commands / PAIRS, bytes / PAIRS, allocated / PAIRS,
				participant.threads() };
	}

}
