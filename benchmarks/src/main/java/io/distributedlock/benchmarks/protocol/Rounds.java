package io.distributedlock.benchmarks.protocol;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Measures candidates by turns, so that other programs disturb all alike, and compares
 * each with the first one, the floor, of the same round.
 */
final class Rounds {

	private static final int WARM_UP = 3;

	private Rounds() {
	}

	/**
	 * Print a table: the median of the figures, and median and quartiles of the ratios.
	 */
	static <T> void compare(String title, String unit, Map<String, T> candidates, int rounds,
			Measurement<T> measurement) throws Exception {
		Map<String, double[]> figures = new LinkedHashMap<>();
		for (int round = -WARM_UP; round < rounds; round++) {
			for (Map.Entry<String, T> candidate : candidates.entrySet()) {
				double figure = measurement.of(candidate.getValue());
				if (round >= 0) {
					figures.computeIfAbsent(candidate.getKey(), (name) -> new double[rounds])[round] = figure;
				}
			}
		}
		double[] floor = figures.values().iterator().next();
		ProtocolBenchmark.line("%n| %s, %d rounds | %s | × floor (quartiles) |%n|---|---|---|", title, rounds, unit);
		figures.forEach((name, values) -> print(name, values, floor));
	}

	private static void print(String name, double[] values, double[] floor) {
		double[] ratios = IntStream.range(0, values.length).mapToDouble((i) -> values[i] / floor[i]).toArray();
		ProtocolBenchmark.line("| %s | %.1f | %.2f (%.2f–%.2f) |", name, quartile(values, 2), quartile(ratios, 2),
				quartile(ratios, 1), quartile(ratios, 3));
	}

	private static double quartile(double[] values, int number) {
		return Arrays.stream(values).sorted().toArray()[values.length * number / 4];
	}

	/** Measures a candidate once. */
	interface Measurement<T> {

		double of(T candidate) throws Exception;

	}

}
