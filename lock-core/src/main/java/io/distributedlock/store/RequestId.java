package io.distributedlock.store;

/**
 * Identity of one acquisition, 128 bits: the ownership token in the store and the key
 * under which a repeated command is recognised.
 * <p>
 * The first 80 bits are the <em>contender</em>: the instance of the application, and one
 * of its {@linkplain #place() places}. A contender has one request for a lock at a time,
 * numbered upwards. So a store that remembers the last request of each contender knows
 * that all earlier ones have ended, in spite of other requests in between.
 * <p>
 * The last 12 bits are random. They distinguish two processes that were restored from one
 * image and give the same number to different requests.
 *
 * @param instanceBits the random half of the instance
 * @param sequenceBits the place (16 bits), the number (36 bits) and the random bits
 * @since 0.1.0
 */
public record RequestId(long instanceBits, long sequenceBits) {

	/** The length of {@link #toString()} in characters. */
	public static final int LENGTH = 32;

	/** The last place of an instance; the first one is zero. */
	public static final int LAST_PLACE = (1 << 16) - 1;

	private static final int RANDOM_BITS = 12;

	private static final int PLACE_SHIFT = 48;

	private static final long NUMBERS = 1L << (PLACE_SHIFT - RANDOM_BITS);

	private static final char[] HEX = "0123456789abcdef".toCharArray();

	/**
	 * Create the id of a request.
	 * @param instanceBits the instance
	 * @param place the place, at most {@value #LAST_PLACE}
	 * @param number the number, at least zero and less than 2<sup>36</sup>
	 * @param random a random number; only its last 12 bits are used
	 * @return the id
	 */
	public static RequestId of(long instanceBits, int place, long number, long random) {
		if (place < 0 || place > LAST_PLACE || number < 0 || number >= NUMBERS) {
			throw new IllegalArgumentException("No request id has place %d and number %d".formatted(place, number));
		}
		long bits = ((long) place << PLACE_SHIFT) | (number << RANDOM_BITS) | (random & ((1 << RANDOM_BITS) - 1));
		return new RequestId(instanceBits, bits);
	}

	/**
	 * Parse the id of a request.
	 * @param text the {@linkplain #toString() text form}
	 * @return the id
	 */
	public static RequestId parse(String text) {
		return new RequestId(Long.parseUnsignedLong(text, 0, LENGTH / 2, 16),
				Long.parseUnsignedLong(text, LENGTH / 2, LENGTH, 16));
	}

	/**
	 * The place of the request in its instance.
	 * @return a number from zero to {@value #LAST_PLACE}
	 */
	public int place() {
		return (int) (this.sequenceBits >>> PLACE_SHIFT);
	}

	/**
	 * The number of the request among those of its contender.
	 * @return a larger number for a later request
	 */
	public long number() {
		return (this.sequenceBits >>> RANDOM_BITS) & (NUMBERS - 1);
	}

	/**
	 * Return whether another request is of the same contender.
	 * @param other the other request
	 * @return {@code true} if instance and place are the same
	 */
	public boolean isOfSameContender(RequestId other) {
		return this.instanceBits == other.instanceBits && place() == other.place();
	}

	/**
	 * The instance that made the request.
	 * @return 16 hexadecimal digits
	 */
	public String instance() {
		char[] text = new char[LENGTH / 2];
		write(this.instanceBits, text, 0);
		return new String(text);
	}

	/**
	 * The text form for the wire.
	 * @return {@value #LENGTH} hexadecimal digits, the instance's first
	 */
	@Override
	public String toString() {
		char[] text = new char[LENGTH];
		write(this.instanceBits, text, 0);
		write(this.sequenceBits, text, LENGTH / 2);
		return new String(text);
	}

	private static void write(long bits, char[] target, int offset) {
		for (int i = LENGTH / 2 - 1; i >= 0; i--) {
			target[offset + i] = HEX[(int) (bits & 0xF)];
			bits >>>= 4;
		}
	}

}
