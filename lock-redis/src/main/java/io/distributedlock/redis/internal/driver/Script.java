package io.distributedlock.redis.internal.driver;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * The text of a script, and the digest by which servers know it.
 */
public final class Script {

	public final byte[] source;

	/** The SHA-1 digest of the text, in hexadecimal digits. */
	public final String sha;

	/** The digest as it is sent. */
	public final byte[] digest;

	/** The command with one key and one argument, in the protocol, up to the key. */
	public final byte[] usual;

	/** The numbered script, made when it is needed first. */
	private volatile @Nullable Script numbered;

	/**
	 * Create a script.
	 * @param source the text
	 */
	public Script(byte[] source) {
		this.source = source;
		try {
			this.sha = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-1", ex);
		}
		this.digest = this.sha.getBytes(StandardCharsets.US_ASCII);
		this.usual = ("*5\r\n$7\r\nEVALSHA\r\n$40\r\n" + this.sha + "\r\n$1\r\n1\r\n")
			.getBytes(StandardCharsets.US_ASCII);
	}

	/** Return a script that puts its last argument in front of the answer of this one. */
	public Script numbered() {
		Script made = this.numbered;
		if (made == null) {
			// An error stays an error. The scripts ignore arguments behind their own.
			String text = "local function answer()\n" + new String(this.source, StandardCharsets.UTF_8) + "\nend\n"
					+ "local said = answer()\n" + "if type(said) == 'table' and said.err then\n  return said\nend\n"
					+ "return {ARGV[#ARGV], said}\n";
			made = new Script(text.getBytes(StandardCharsets.UTF_8));
			this.numbered = made;
		}
		return made;
	}

}
