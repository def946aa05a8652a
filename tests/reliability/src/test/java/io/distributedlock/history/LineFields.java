package io.distributedlock.history;

import java.nio.charset.StandardCharsets;

/**
 * The fields of a line, read one after the other. Texts that come again and again are the
 * same object.
 */
final class LineFields {

	private final String[] cache;

	private byte[] bytes = new byte[0];

	private int position;

	private int end;

	LineFields(int cached) {
		this.cache = new String[cached];
	}

	LineFields on(byte[] bytes, int from, int to) {
		this.bytes = bytes;
		this.position = from;
		this.end = to;
		return this;
	}

	long number() {
		boolean negative = this.position < this.end && this.bytes[this.position] == '-';
		if (negative) {
			this.position++;
		}
		long value = 0;
		for (byte b = next(); b != '\t'; b = next()) {
			if (b < '0' || b > '9') {
				throw new IllegalArgumentException("Not a number: " + this);
			}
			value = value * 10 - (b - '0');
		}
		return negative ? value : -value;
	}

	<T> T constant(T[] constants) {
		long number = number();
		if (number < 0 || number >= constants.length) {
			throw new IllegalArgumentException("Not a constant: " + this);
		}
		return constants[(int) number];
	}

	String text() {
		int from = this.position;
		boolean escaped = skip();
		String text = new String(this.bytes, from, this.position - 1 - from, StandardCharsets.ISO_8859_1);
		return escaped ? unescape(text) : text;
	}

	/** A text of which there are few. */
	String shared() {
		int from = this.position;
		boolean escaped = skip();
		int hash = 0;
		for (int i = from; i < this.position - 1; i++) {
			hash = 31 * hash + this.bytes[i];
		}
		int slot = (hash ^ (hash >>> 16)) & (this.cache.length - 1);
		String cached = this.cache[slot];
		if (!escaped && cached != null && matches(cached, from)) {
			return cached;
		}
		String text = new String(this.bytes, from, this.position - 1 - from, StandardCharsets.ISO_8859_1);
		text = escaped ? unescape(text) : text;
		this.cache[slot] = text;
		return text;
	}

	private boolean matches(String text, int from) {
		int length = this.position - 1 - from;
		if (text.length() != length) {
			return false;
		}
		for (int i = 0; i < length; i++) {
			if (text.charAt(i) != this.bytes[from + i]) {
				return false;
			}
		}
		return true;
	}

	private boolean skip() {
		boolean escaped = false;
		for (byte b = next(); b != '\t'; b = next()) {
			escaped |= b == '\\';
		}
		return escaped;
	}

	private byte next() {
		if (this.position == this.end) {
			throw new IllegalArgumentException("Torn line: " + this);
		}
		return this.bytes[this.position++];
	}

	void end() {
		if (this.position != this.end) {
			throw new IllegalArgumentException("More than a line: " + this);
		}
	}

	private static String unescape(String text) {
		StringBuilder result = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '\\') {
				result.append((char) Integer.parseInt(text, i + 1, i + 5, 16));
				i += 4;
			}
			else {
				result.append(c);
			}
		}
		return result.toString();
	}

	@Override
	public String toString() {
		int from = Math.min(this.position, Math.max(0, this.end - 200));
		return new String(this.bytes, from, this.end - from, StandardCharsets.ISO_8859_1);
	}

}
