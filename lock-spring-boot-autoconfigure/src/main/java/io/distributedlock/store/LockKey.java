package io.distributedlock.store;

import org.jspecify.annotations.Nullable;

/**
 * Name and key of a lock, and their encoding for stores. Equal where the encodings are.
 * Immutable.
 * <p>
 * Different pairs have different encodings: {@code name:key}, with {@code %}, {@code ~},
 * control characters, lone surrogates and, where there is a name, {@code :}
 * percent-encoded. No encoding is a text that ends with a colon, begins with none and is
 * followed by another encoding, so prefixes of that kind may begin with one another.
 * Braces are encoded unless they are the first valid Redis Cluster hash tag, which is
 * honoured. What is longer than {@value #MAX_BYTES} bytes becomes its beginning and a
 * SHA-256.
 *
 * @since 0.1.0
 */
public final class LockKey {

	/** The longest encoding in bytes. */
	public static final int MAX_BYTES = 256;

	private final String name;

	/** Nothing where the encoding ends with the key as it is: one text is enough. */
	private final @Nullable String key;

	private final String encoded;

	/**
	 * Create a key.
	 * @param name the namespace, maybe empty
	 * @param key the key, not blank
	 */
	public LockKey(String name, String key) {
		this.name = name;
		this.encoded = LockKeyEncoder.encode(name, key);
		boolean plain = this.encoded.length() == name.length() + 1 + key.length() && this.encoded.endsWith(key);
		this.key = plain ? null : key;
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

}
