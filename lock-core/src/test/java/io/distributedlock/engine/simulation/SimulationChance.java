package io.distributedlock.engine.simulation;

import java.util.SplittableRandom;

/** Everything random in a simulated world comes from here, so a seed repeats it. */
final class SimulationChance {

	private final SplittableRandom random;

	SimulationChance(long seed) {
		this.random = new SplittableRandom(seed);
	}

	boolean of(double probability) {
		return probability > 0 && this.random.nextDouble() < probability;
	}

	int below(int bound) {
		return this.random.nextInt(bound);
	}

	/** Up to so many nanoseconds. */
	long upTo(long nanos) {
		return this.random.nextLong(nanos + 1);
	}

	/** Between so many milliseconds, in nanoseconds. */
	long millis(long from, long to) {
		return from * 1_000_000 + upTo((to - from) * 1_000_000);
	}

	/** Zero in most worlds, else up to the limit. */
	double sometimes(double share, double most) {
		return of(share) ? this.random.nextDouble() * most : 0;
	}

	@SafeVarargs
	final <T> T oneOf(T... values) {
		return values[below(values.length)];
	}

}
