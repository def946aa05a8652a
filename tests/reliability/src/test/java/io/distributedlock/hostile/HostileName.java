package io.distributedlock.hostile;

import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;

/**
 * A lock that is hard to tell from another one.
 *
 * @param name the namespace
 * @param key the key
 * @param reason why it is here
 */
record HostileName(String name, String key, String reason) {

	private static final int MOST_SHOWN = 60;

	HostileName inNamespace(String name) {
		return new HostileName(name, this.key, this.reason);
	}

	LockRequest request() {
		return LockRequest.of(this.name, this.key);
	}

	LockKey lockKey() {
		return new LockKey(this.name, this.key);
	}

	/** Return name and key, which no two of the corpus have in common. */
	List<String> identity() {
		return List.of(this.name, this.key);
	}

	@Override
	public String toString() {
		return "'%s' '%s' (%d characters, %s)".formatted(escaped(this.name), escaped(this.key), this.key.length(),
				this.reason);
	}

	/** A short text in ASCII, so that reports stay readable. */
	static String escaped(String text) {
		StringBuilder escaped = new StringBuilder();
		for (int i = 0; i < Math.min(text.length(), MOST_SHOWN); i++) {
			char c = text.charAt(i);
			escaped.append((c >= ' ' && c <= '~') ? String.valueOf(c) : "\\u%04x".formatted((int) c));
		}
		return escaped.append((text.length() > MOST_SHOWN) ? "…" : "").toString();
	}

}
