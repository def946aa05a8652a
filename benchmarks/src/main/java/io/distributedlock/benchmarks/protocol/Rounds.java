package io.distributedlock.benchmarks.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures candidates in turn, so that other programs disturb all alike. Computes
 * quartiles of the figures.
 */
public final class Rounds {

	private Rounds() {
	}

	/**
	 * Give each candidate its turn in every round.
	 * @param <T> the type of a candidate
	 * @param <R> the type of its figures
	 * @param candidates all candidates, by name
	 * @param warmUp the number of rounds that come before and do not count
	 * @param rounds the number of rounds that count
	 * @param measurement one turn of a candidate
	 * @return the figures of each round, by name
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
	 * Compute a quartile.
	 * @param values the values, in any order
	 * @param number the number of the quartile, 2 for the median
	 * @return the value
	 */
	public static double quartile(double[] values, int number) {
		return Arrays.stream(values).sorted().toArray()[Math.min(values.length * number / 4, values.length - 1)];
	}

	/**
	 * Measures a candidate once.
	 *
	 * @param <T> the type of a candidate
	 * @param <R> the type of its figures
	 */
	public interface Measurement<T, R> {

		/**
		 * Measure a candidate.
		 * @param candidate the candidate
		 * @return its figures
		 * @throws Exception if it failed
		 */
		R of(T candidate) throws Exception;

	}

}
