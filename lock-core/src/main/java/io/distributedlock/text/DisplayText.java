package io.distributedlock.text;

import org.jspecify.annotations.Nullable;

/**
 * Text for people: one line of limited length. Names, keys and answers of servers come
 * from anywhere: they must neither write lines of their own into a log nor fill it nor
 * turn its direction. Control and format characters, line and paragraph separators and
 * lone surrogates are escaped as in Java. Only the methods of this class make such a
 * text. Immutable.
 *
 * @since 0.1.0
 */
public final class DisplayText {

	/**
	 * The maximum number of characters of the name and the key of a lock; the rest is
	 * left out.
	 */
	public static final int MAX_LOCK = 200;

	/**
	 * The maximum number of characters of any text; the middle of a longer one is left
	 * out.
	 */
	public static final int MAX_TEXT = 4_000;

	private final String text;

	private DisplayText(String text) {
		this.text = text;
	}

	/**
	 * A whole message.
	 * @param text the message, whose values may come from anywhere
	 * @return the escaped text, at most {@value #MAX_TEXT} characters, and an ellipsis in
	 * the middle of a longer one, whose end has the remedy
	 */
	public static DisplayText of(@Nullable String text) {
		String escaped = escape(String.valueOf(text), Integer.MAX_VALUE);
		return new DisplayText((escaped.length() <= MAX_TEXT) ? escaped : withoutMiddle(escaped));
	}

	/** Cut the middle, because a message ends with the remedy. */
	private static String withoutMiddle(String text) {
		int head = MAX_TEXT / 2;
		int tail = text.length() - MAX_TEXT / 2;
		return text.substring(0, Character.isHighSurrogate(text.charAt(head - 1)) ? head - 1 : head) + '…'
				+ text.substring(Character.isLowSurrogate(text.charAt(tail)) ? tail + 1 : tail);
	}

	/**
	 * A lock: the name before the key, if there is a name.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key
	 * @return the escaped text, at most {@value #MAX_LOCK} characters and an ellipsis
	 */
	public static DisplayText lock(String name, String key) {
		return value(name.isEmpty() ? key : name + ":" + key);
	}

	/**
	 * A single value within a message.
	 * @param value the value, which may come from anywhere
	 * @return the escaped text, at most {@value #MAX_LOCK} characters and an ellipsis
	 */
	public static DisplayText value(@Nullable String value) {
		return new DisplayText(escape(String.valueOf(value), MAX_LOCK));
	}

	private static String escape(String text, int longest) {
		return (text.length() <= longest && isPlain(text)) ? text : escaped(text, longest);
	}

	private static boolean isPlain(String text) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c < 0x20 || c > 0x7E) {
				return false;
			}
		}
		return true;
	}

	private static String escaped(String text, int longest) {
		StringBuilder escaped = new StringBuilder(Math.min(text.length(), longest - 1) + 1);
		int next = 0;
		while (next < text.length() && escaped.length() < longest) {
			int codePoint = text.codePointAt(next);
			append(escaped, codePoint);
			next += Character.charCount(codePoint);
		}
		return ((next < text.length()) ? escaped.append('…') : escaped).toString();
	}

	private static void append(StringBuilder text, int codePoint) {
		switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
					Character.PARAGRAPH_SEPARATOR ->
				text.append("\\u%04X".formatted(codePoint));
			default -> text.appendCodePoint(codePoint);
		}
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DisplayText that && this.text.equals(that.text);
	}

	@Override
	public int hashCode() {
		return this.text.hashCode();
	}

	@Override
	public String toString() {
		return this.text;
	}

}
