package io.distributedlock.benchmarks.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures candidates by turns, so that other programs disturb all alike, and has medians
 * and quartiles of the outcome.
 */
public final class Rounds {

	private Rounds() {
	}

	/**
	 * Give each candidate its turn in every round.
	 * @param <T> what is measured
	 * @param <R> what comes out
	 * @param candidates all of them, by name
	 * @param warmUp how many rounds come before and do not count
	 * @param rounds how many rounds count
	 * @param measurement one turn of a candidate
	 * @return what came out in each round, by name
	 * @throws Exception if a turn failed
	 */
	public static <T, R> Map<String, List<R>> take(Map<String, T> candidates, int warmUp, int rounds,
			Measurement<T, R> measurement) throws Exception {
		Map<String, List<R>> outcome = new LinkedHashMap<>();
		candidates.keySet().forEach((name) -> outcome.put(name, new ArrayList<>()));
		for (int round = -warmUp; round < rounds; round++) {
			for (Map.Entry<String, T> candidate : candidates.entrySet()) {
				R figure = measurement.of(candidate.getValue());
				if (round >= 0) {
					outcome.get(candidate.getKey()).add(figure);
				}
			}
		}
		return outcome;
	}

	/**
	 * A quartile.
	 * @param values in any order
	 * @param number 2 for the median
	 * @return the value
	 */
	public static double quartile(double[] values, int number) {
		return Arrays.stream(values).sorted().toArray()[Math.min(values.length * number / 4, values.length - 1)];
	}

	/**
	 * Measures a candidate once.
	 *
	 * @param <T> what is measured
	 * @param <R> what comes out
	 */
	public interface Measurement<T, R> {

		/**
		 * Measure it.
		 * @param candidate what is measured
		 * @return what came out
		 * @throws Exception if it failed
		 */
		R of(T candidate) throws Exception;

	}

}
