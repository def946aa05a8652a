package io.distributedlock.store;

/**
 * Identity of one acquisition, 128 bits: the ownership token in the store and the key
 * under which a repeated command is recognised. The first half is the instance's, the
 * second is unique in it.
 *
 * @param instanceBits the random half of the instance
 * @param sequenceBits the half that no other request of the instance has
 * @since 0.1.0
 */
public record RequestId(long instanceBits, long sequenceBits) {

	/** The length of {@link #toString()} in characters. */
	public static final int LENGTH = 32;

	private static final char[] HEX = "0123456789abcdef".toCharArray();

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
