package io.distributedlock.benchmarks.comparison;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * What a library adds to the start of an application, each in a process of its own: from
 * the start of the process until it has locked once.
 */
final class StartUp {

	private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

	private StartUp() {
	}

	static Table compare(Setting setting) throws Exception {
		Table table = new Table("start of an application, %d rounds".formatted(setting.rounds()), true,
				Column.median("s of CPU", 2), Column.median("s until it has locked once", 2));
		Map<String, StartedApplication.Kind> kinds = StartedApplication.Kind.byLabel();
		Rounds.take(kinds, 1, setting.rounds(), (kind) -> measure(setting, kind)).forEach(table::add);
		return table;
	}

	private static double[] measure(Setting setting, StartedApplication.Kind kind) throws Exception {
		List<String> arguments = List.of(kind.name(), setting.place().host(), Integer.toString(setting.place().port()));
		try (WorkerProcess process = WorkerProcess.start(StartedApplication.class, arguments.toArray(String[]::new))) {
			long[] figures = process.answer();
			return new double[] { figures[0] / NANOS_PER_SECOND, figures[1] / NANOS_PER_SECOND };
		}
	}

}
