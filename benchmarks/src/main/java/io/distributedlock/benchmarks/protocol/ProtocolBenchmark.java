package io.distributedlock.benchmarks.protocol;

import java.util.List;
import java.util.Locale;

/**
 * Prints the tables of the protocol as Markdown. Arguments choose among {@code wire},
 * {@code cpu}, {@code weight}, {@code fair} and {@code readers}; without arguments all
 * run. System properties: {@code benchmark.rounds} (25), {@code benchmark.limit} (time
 * limit of a crowd, 40 s), {@code benchmark.repeats} (number of runs of a crowd, 5),
 * {@code benchmark.fair} and {@code benchmark.readers} (sizes of crowds, separated by
 * commas).
 */
public final class ProtocolBenchmark {

	private static final List<String> PARTS = List.of("wire", "cpu", "weight", "fair", "readers");

	private ProtocolBenchmark() {
	}

	public static void main(String[] arguments) throws Exception {
		List<String> parts = (arguments.length > 0) ? List.of(arguments) : PARTS;
		if (!PARTS.containsAll(parts)) {
			throw new IllegalArgumentException("Name some of " + PARTS + ", not " + parts);
		}
		line("%s", Machine.describe());
		for (String part : parts) {
			run(part);
		}
		line("%n%s", Machine.load());
		// Threads of drivers may still run.
		System.exit(0);
	}

	private static void run(String part) throws Exception {
		int rounds = Integer.getInteger("benchmark.rounds", 25);
		switch (part) {
			case "wire" -> PairCosts.printWire();
			case "cpu" -> PairCosts.printCpu(rounds);
			case "weight" -> Weight.print(rounds);
			case "fair" ->
				line("%n%s", Crowds.fair(sizes("benchmark.fair", "50,100,300,700,1500,5000"), repeats(), limit()));
			default ->
				line("%n%s", Crowds.readers(sizes("benchmark.readers", "100,800,3200,5000"), repeats(), limit()));
		}
	}

	private static int[] sizes(String property, String otherwise) {
		return List.of(System.getProperty(property, otherwise).split(","))
			.stream()
			.mapToInt(Integer::parseInt)
			.toArray();
	}

	private static int repeats() {
		return Integer.getInteger("benchmark.repeats", 5);
	}

	private static long limit() {
		return Integer.getInteger("benchmark.limit", 40) * 1_000_000_000L;
	}

	static void line(String format, Object... values) {
		System.out.println(text(format, values));
	}

	static String text(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

}
