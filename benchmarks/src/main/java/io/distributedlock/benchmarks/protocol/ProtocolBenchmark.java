package io.distributedlock.benchmarks.protocol;

import java.lang.management.ManagementFactory;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;

/**
 * Prints the tables of the protocol as Markdown. Arguments choose among {@code wire},
 * {@code cpu}, {@code weight}, {@code speed}, {@code fair} and {@code readers}; none
 * means all. System properties: {@code benchmark.rounds} (25), {@code benchmark.slice}
 * (how long a candidate runs in a round of {@code speed}, 400 ms),
 * {@code benchmark.limit} (how long a crowd is watched, 40 s), {@code benchmark.repeats}
 * (how often a crowd comes, 5), {@code benchmark.fair} and {@code benchmark.readers}
 * (sizes of crowds, separated by commas).
 */
public final class ProtocolBenchmark {

	private static final List<String> PARTS = List.of("wire", "cpu", "weight", "speed", "fair", "readers");

	private ProtocolBenchmark() {
	}

	public static void main(String[] arguments) throws Exception {
		List<String> parts = (arguments.length > 0) ? List.of(arguments) : PARTS;
		if (!PARTS.containsAll(parts)) {
			throw new IllegalArgumentException("Name some of " + PARTS + ", not " + parts);
		}
		describeMachine();
		for (String part : parts) {
			run(part);
		}
		describeLoad();
		// Threads of drivers may live on.
		System.exit(0);
	}

	private static void run(String part) throws Exception {
		int rounds = Integer.getInteger("benchmark.rounds", 25);
		switch (part) {
			case "wire" -> PairCosts.printWire();
			case "cpu" -> PairCosts.printCpu(rounds);
			case "weight" -> Weight.print(rounds);
			case "speed" -> Speed.print(rounds, Integer.getInteger("benchmark.slice", 400));
			case "fair" -> Crowds.printFair(sizes("benchmark.fair", "50,100,300,700,1500,5000"), repeats(), limit());
			default -> Crowds.printReaders(sizes("benchmark.readers", "100,800,3200,5000"), repeats(), limit());
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

	private static void describeMachine() {
		try (RedisServer server = RedisServers.start()) {
			line("%s, %d cores, %s %s, Java %s, %s", LocalDateTime.now().truncatedTo(ChronoUnit.MINUTES),
					Runtime.getRuntime().availableProcessors(), System.getProperty("os.name"),
					System.getProperty("os.arch"), System.getProperty("java.version"),
					server.description().replaceFirst(" at .*", ""));
		}
		describeLoad();
	}

	/** Above the number of cores, other programs have taken part. */
	private static void describeLoad() {
		line("%nLoad average of the last minute: %.1f",
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
	}

	static void line(String format, Object... values) {
		System.out.println(text(format, values));
	}

	static String text(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

}
