package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Root of everything that this library throws on behalf of a lock.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	/** In characters; the rest of a longer name is left out. */
	private static final int MOST_DESCRIBED = 200;

	/**
	 * Create an exception without a cause.
	 * @param message what happened, to which lock, and the remedy
	 */
	public LockException(String message) {
		super(message);
	}

	/**
	 * Create an exception with a cause.
	 * @param message what happened, to which lock, and the remedy
	 * @param cause what the store or the driver said
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * What a lock is called in messages: the name before the key, where there is one, on
	 * one line and not too long. Keys come from anywhere, and must neither write lines of
	 * their own into a log nor fill it.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key
	 * @return the text
	 */
	public static String described(String name, String key) {
		String whole = name.isEmpty() ? key : name + ":" + key;
		StringBuilder text = new StringBuilder(Math.min(whole.length(), MOST_DESCRIBED) + 1);
		int next = 0;
		while (next < whole.length() && text.length() < MOST_DESCRIBED) {
			int codePoint = whole.codePointAt(next);
			append(text, codePoint);
			next += Character.charCount(codePoint);
		}
		return ((next < whole.length()) ? text.append('…') : text).toString();
	}

	private static void append(StringBuilder text, int codePoint) {
		switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
					Character.PARAGRAPH_SEPARATOR ->
				text.append("\\u%04X".formatted(codePoint));
			default -> text.appendCodePoint(codePoint);
		}
	}

}
