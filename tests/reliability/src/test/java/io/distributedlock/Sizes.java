package io.distributedlock;

/**
 * The share of large or repeated work that tests do: all of it in a build, a tenth in the
 * profile {@code quick}.
 */
public final class Sizes {

	private static final int DIVISOR = Integer.getInteger("sizes.divisor", 1);

	private Sizes() {
	}

	/**
	 * A number of attempts, or a size.
	 * @param most the number or size in a build
	 * @return that, or its share
	 */
	public static int share(int most) {
		return most / DIVISOR;
	}

}
