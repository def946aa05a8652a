package io.distributedlock.redis.driver;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script as a driver has to know it: by its digest, and by its source where the server
 * does not know that.
 */
public interface RedisScript {

	/** The text of the script. */
	byte[] source();

	/** The SHA-1 digest of the text, in hexadecimal digits. */
	String sha();

	/** As {@link #sha()}, as it is sent. */
	byte[] digest();

	/**
	 * The digest of a text, as servers compute it.
	 * @param source the text
	 * @return hexadecimal digits
	 */
	static String sha1(byte[] source) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-1", ex);
		}
	}

}
