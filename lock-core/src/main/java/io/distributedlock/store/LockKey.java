package io.distributedlock.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * Name and key of a lock, and their encoding for stores. Keys are equal if their
 * encodings are. Immutable.
 * <p>
 * Different pairs have different encodings: {@code name:key}, with {@code %}, {@code ~},
 * control characters and lone surrogates percent-encoded, and also {@code :} if there is
 * a name. Braces are encoded unless they are the first valid Redis Cluster hash tag,
 * which keeps its colons. An encoding that is longer than {@value #MAX_BYTES} bytes
 * becomes its beginning and a SHA-256.
 * <p>
 * Stores with the prefixes {@code a:} and {@code a:b:} share no key: no encoding is a
 * text like {@code b:}, which ends with a colon and begins with none, before another
 * encoding.
 *
 * @since 0.1.0
 */
public final class LockKey {

	/** The longest encoding in bytes. */
	public static final int MAX_BYTES = 256;

	private static final int HEAD_BYTES = 64;

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private final String name;

	/** {@code null} if the encoding is the name and the key as they are. */
	private final @Nullable String key;

	private final String encoded;

	/**
	 * Create a key.
	 * @param name the namespace, maybe empty
	 * @param key the key, not blank
	 */
	public LockKey(String name, String key) {
		this.name = name;
		String joined = name + ':' + key;
		boolean named = !name.isEmpty();
		boolean plain = isPlain(name, true) && isPlain(key, named) && joined.length() <= MAX_BYTES;
		this.encoded = plain ? joined : encode(joined, name, key);
		this.key = this.encoded.equals(joined) ? null : key;
	}

	private LockKey(String encoded) {
		int colon = encoded.indexOf(':');
		this.name = encoded.substring(0, Math.max(colon, 0));
		// The beginning of a long name that was shortened has no colon.
		this.key = (colon < 0) ? encoded : null;
		this.encoded = encoded;
	}

	/**
	 * Create the key that a message names.
	 * @param encoded its encoding, which stands for the key itself
	 * @return an equal key
	 */
	public static LockKey ofEncoded(String encoded) {
		return new LockKey(encoded);
	}

	/**
	 * The namespace.
	 * @return the name, maybe empty
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The key.
	 * @return the key as the caller wrote it
	 */
	public String key() {
		return (this.key != null) ? this.key : this.encoded.substring(this.name.length() + 1);
	}

	/**
	 * The encoding.
	 * @return at most {@value #MAX_BYTES} bytes in UTF-8
	 */
	public String encoded() {
		return this.encoded;
	}

	@Override
	public boolean equals(Object other) {
		return this == other || (other instanceof LockKey that && this.encoded.equals(that.encoded));
	}

	@Override
	public int hashCode() {
		return this.encoded.hashCode();
	}

	@Override
	public String toString() {
		return this.encoded;
	}

	/** Return whether every character is ASCII and stands for itself: the usual case. */
	private static boolean isPlain(String text, boolean withoutColon) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c < 0x20 || c > 0x7E || c == '%' || c == '~' || c == '{' || c == '}' || (withoutColon && c == ':')) {
				return false;
			}
		}
		return true;
	}

	/**
	 * An encoding with a name has one colon outside of its hash tag; an encoding without
	 * a name begins with one. So it meets no pair under a longer prefix either: the rest
	 * of that prefix ends with a colon and does not begin with one.
	 */
	private static String encode(String joined, String name, String key) {
		boolean named = !name.isEmpty();
		int[] tag = hashTag(name, 0);
		if (tag.length == 0) {
			tag = hashTag(key, name.length() + 1);
		}
		StringBuilder text = new StringBuilder(joined.length() + 16);
		for (int i = 0; i < joined.length(); i++) {
			char c = joined.charAt(i);
			boolean keep = (i == name.length()) || (tag.length > 0 && (i == tag[0] || i == tag[1]));
			boolean tagged = tag.length > 0 && i > name.length() && i > tag[0] && i < tag[1];
			if (keep || !mustEncode(joined, i, named && !tagged)) {
				text.append(c);
			}
			else {
				escape(c, text);
			}
		}
		return (text.length() * 3 <= MAX_BYTES || utf8(text.toString()).length <= MAX_BYTES) ? text.toString()
				: shorten(text.toString());
	}

	/**
	 * The positions in the whole of the braces of the part's hash tag; empty if it has
	 * none.
	 */
	private static int[] hashTag(String part, int offset) {
		int open = part.indexOf('{');
		int close = (open >= 0) ? part.indexOf('}', open) : -1;
		return (close > open + 1) ? new int[] { offset + open, offset + close } : new int[0];
	}

	/** Escape a character. A format takes half a second for a key of a megabyte. */
	private static void escape(char c, StringBuilder text) {
		if (c < 0x80) {
			HEX.toHexDigits(text.append('%'), (byte) c);
		}
		else {
			text.append("%u").append(HEX.toHexDigits(c));
		}
	}

	private static boolean mustEncode(String text, int index, boolean withoutColon) {
		char c = text.charAt(index);
		return switch (c) {
			case '%', '~', '{', '}' -> true;
			case ':' -> withoutColon;
			default -> Character.isISOControl(c) || isLoneSurrogate(text, index);
		};
	}

	private static boolean isLoneSurrogate(String text, int index) {
		char c = text.charAt(index);
		if (Character.isHighSurrogate(c)) {
			return index + 1 >= text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
		}
		return Character.isLowSurrogate(c) && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
	}

	/** The {@code ~} separates the hash; it is never part of an encoding otherwise. */
	private static String shorten(String text) {
		int end = 0;
		int bytes = 0;
		while (end < text.length()) {
			int codePoint = text.codePointAt(end);
			bytes += (codePoint < 0x80) ? 1 : (codePoint < 0x800) ? 2 : (codePoint < 0x10000) ? 3 : 4;
			if (bytes > HEAD_BYTES) {
				break;
			}
			end += Character.charCount(codePoint);
		}
		return text.substring(0, end) + '~' + sha256(utf8(text));
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String sha256(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-256", ex);
		}
	}

}
