package io.distributedlock.migration;

/**
 * The text of a key of a lock, as far as sources tell it.
 *
 * @param begin the beginning, which is known
 * @param whole {@code true} if nothing follows
 * @param source the code that makes it if nothing is known of it, else empty
 */
record KnownText(String begin, boolean whole, String source) {

	static KnownText of(String text) {
		return new KnownText(text, true, "");
	}

	static KnownText beginningWith(String begin, String source) {
		return new KnownText(begin, false, begin.isEmpty() ? source : "");
	}

	/**
	 * Return whether both may be one text. Of those without a known beginning it is known
	 * only where the same code makes them.
	 */
	boolean mayEqual(KnownText other) {
		if (!this.source.isEmpty() || !other.source.isEmpty()) {
			return this.source.equals(other.source);
		}
		boolean isOpen = !(this.whole && other.whole);
		return this.begin.equals(other.begin) || (isOpen && (continues(other) || other.continues(this)));
	}

	/** Return whether this is the beginning of another text, and may go on like it. */
	private boolean continues(KnownText other) {
		return !this.whole && other.begin.startsWith(this.begin);
	}

}
