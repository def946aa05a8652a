package io.distributedlock;

/**
 * How much tests take of what is large or repeated: all of it in a build, a tenth in the
 * profile {@code quick}.
 */
public final class Sizes {

	private static final int DIVISOR = Integer.getInteger("sizes.divisor", 1);

	private Sizes() {
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
