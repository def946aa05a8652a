package io.distributedlock.benchmarks.comparison;

import java.io.File;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;

/**
 * Measures the cost that a library adds to the start of an application. Each application
 * is measured in its own process, from the start of the process to its first lock.
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
		try (WorkerProcess process = WorkerProcess.start(classPath(kind), StartedApplication.class, kind.name(),
				setting.place().host(), Integer.toString(setting.place().port()))) {
			long[] figures = process.answer();
			return new double[] { figures[0] / NANOS_PER_SECOND, figures[1] / NANOS_PER_SECOND };
		}
	}

	/**
	 * Return the class path. RxJava comes with Redisson only, and Spring loads much of it
	 * where it finds it.
	 */
	private static String classPath(StartedApplication.Kind kind) {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> kind == StartedApplication.Kind.REDISSON || !entry.contains("rxjava"))
			.collect(Collectors.joining(File.pathSeparator));
	}

}
