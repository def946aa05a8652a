package io.distributedlock;

/**
 * How much tests try that search at random or take much of something: all of it in a
 * build, a tenth in the profile {@code quick}.
 */
public final class Searches {

	private static final int DIVISOR = Integer.getInteger("searches.divisor", 1);

	private Searches() {
	}

	/**
	 * A number of attempts, or a size.
	 * @param most what a build tries
	 * @return that, or its share
	 */
	public static int share(int most) {
		return most / DIVISOR;
	}

}
