package io.distributedlock.store;

import org.jspecify.annotations.Nullable;

/**
 * The last random marks of the renewals of one lease by one process, at most
 * {@value #MOST}. They distinguish this process from another one that was restored from
 * the same image, and has the same request id. The store keeps the newest mark of the
 * last renewal, and takes only renewals and releases that know it. So the first process
 * that renews keeps the lease. Immutable.
 * <p>
 * There are several because an answer or a node of a quorum may have missed some. An
 * {@linkplain ExtendCommand extend} has a mark of its own, so that renewals that were
 * sent before it are not applied after it.
 *
 * @param text the marks for the wire, the newest one first: {@value #LENGTH} hexadecimal
 * digits each, with commas in between; empty for a lease that was never renewed, or
 * {@code *} for any
 * @since 0.1.0
 */
public record RenewalMarks(String text) {

	/** The marks of a lease that was never renewed. */
	public static final RenewalMarks NONE = new RenewalMarks("");

	/**
	 * The marks of a process that has only a handle of the lease, and so knows every
	 * mark. A renewal with them leaves the stored mark as it is. A release with them
	 * {@linkplain WakeUpListener#revoked notifies} the instance of the request, whose
	 * holder may not know of it. Not for an {@link ExtendCommand}, nor a
	 * {@linkplain QuorumNode node of a quorum}.
	 */
	public static final RenewalMarks ANY = new RenewalMarks("*");

	/** The maximum number of marks. */
	public static final int MOST = 4;

	/** The length of a mark in characters. */
	public static final int LENGTH = 8;

	private static final int FULL = MOST * (LENGTH + 1) - 1;

	/**
	 * The marks of a further renewal. The newest mark that the store has confirmed always
	 * stays, also if older marks must go.
	 * @param mark the new mark, random
	 * @param unconfirmed how many of the newest marks the store has not confirmed
	 * @return that mark before the newest ones of these
	 */
	public RenewalMarks with(int mark, int unconfirmed) {
		String newest = Integer.toHexString(mark);
		String added = "0".repeat(LENGTH - newest.length()) + newest;
		boolean full = this.text.length() == FULL;
		String older = (full && unconfirmed >= MOST - 1) ? part(0, MOST - 2) + "," + part(MOST - 1, MOST)
				: part(0, MOST - 1);
		return new RenewalMarks(older.isEmpty() ? added : added + "," + older);
	}

	/** Some of the marks, or all that are left. */
	private String part(int from, int to) {
		int end = Math.min(this.text.length(), to * (LENGTH + 1) - 1);
		return this.text.substring(Math.min(end, from * (LENGTH + 1)), end);
	}

	/**
	 * The mark that the store keeps once it has applied the renewal.
	 * @return {@value #LENGTH} hexadecimal digits, or empty if there are no marks
	 */
	public String newest() {
		return this.text.substring(0, Math.min(this.text.length(), LENGTH));
	}

	/**
	 * The number of marks that are newer than a given one.
	 * @param mark the mark, {@value #LENGTH} hexadecimal digits or empty
	 * @return 0 for the newest one, or -1 if it is none of these
	 */
	public int before(String mark) {
		int at = mark.isEmpty() ? -1 : this.text.indexOf(mark);
		return (at < 0) ? -1 : at / (LENGTH + 1);
	}

	/**
	 * Return whether these are the marks of the process that has renewed the lease last.
	 * @param kept the mark that the store keeps; {@code null} if the lease was not
	 * renewed since it was taken
	 * @return {@code true} if a renewal or a release with these marks is to be applied
	 */
	public boolean know(@Nullable String kept) {
		return kept == null || this.text.contains(kept) || equals(ANY);
	}

}
