package io.distributedlock;

/**
 * How much tests try that search at random: a fortieth of it in a build, a four-hundredth
 * in the profile {@code quick}, all of it in the profile {@code chaos}.
 */
public final class Searches {

	private static final int DIVISOR = Integer.getInteger("searches.divisor", 40);

	private Searches() {
	}

	/**
	 * A number of attempts, or a duration in any unit.
	 * @param most the number or duration in the profile {@code chaos}
	 * @return that, or its share, which is not empty
	 */
	public static int share(int most) {
		return Math.max(1, most / DIVISOR);
	}

}
