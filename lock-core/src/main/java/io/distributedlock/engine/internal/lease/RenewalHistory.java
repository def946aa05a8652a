package io.distributedlock.engine.internal.lease;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.RenewalMarks;
import org.jspecify.annotations.Nullable;

/**
 * The marks and outcomes of the renewals of a grant so far. Immutable.
 *
 * @param marks the marks, the newest one first
 * @param open the number of newest marks that the store has not confirmed
 * @param since the time of the last clock jump before the newest mark
 * @param at the time when the newest mark was drawn
 * @param failure the failure of the last renewal, or of the release, until one is
 * confirmed
 * @param endangered {@code true} if less than half of the lease was left then, until a
 * renewal is confirmed
 * @param confirmed the number of confirmed renewals
 * @param failed the number of failed renewals and releases
 * @param extended the number of extends
 * @param extending {@code true} if the newest mark is that of an unconfirmed extend
 */
public record RenewalHistory(RenewalMarks marks, int open, long since, long at, @Nullable LockStoreException failure,
		boolean endangered, int confirmed, int failed, int extended, boolean extending) {

	static final RenewalHistory NONE = new RenewalHistory(RenewalMarks.NONE, 0, Long.MAX_VALUE, 0, null, false, 0, 0, 0,
			false);

	/**
	 * The most new marks of renewals within a ttl. Planned renewals need three of them.
	 */
	private static final int MARKS_PER_LEASE = 6;

	/**
	 * Return whether a renewal that is sent now has a new mark. A renewal that is
	 * repeated, or follows soon, has the marks of the one before. Otherwise the mark that
	 * a node of a quorum or a replica has seen last could be pushed out. After a clock
	 * jump it has a new one, since another process may send the same marks. No renewal
	 * uses the mark of an extend: if it came first, the extend would look like a copy.
	 */
	boolean wantsMark(long now, long ttlNanos, long doubtedAt) {
		boolean due = this.open == 0 && now - this.at >= ttlNanos / MARKS_PER_LEASE;
		return due || this.extending || doubtedAt != this.since;
	}

	RenewalHistory withMark(int mark, long now, long doubtedAt) {
		return withMark(mark, now, doubtedAt, false);
	}

	/** Add the mark of an extend: earlier commands have no effect after it. */
	RenewalHistory withExtend(int mark, long now, long doubtedAt) {
		return withMark(mark, now, doubtedAt, true);
	}

	private RenewalHistory withMark(int mark, long now, long doubtedAt, boolean extend) {
		return new RenewalHistory(this.marks.with(mark, this.open), this.open + 1, doubtedAt, now, this.failure,
				this.endangered, this.confirmed, this.failed, this.extended + (extend ? 1 : 0), extend);
	}

	/** Return whether an extend was sent after the command with the earlier history. */
	boolean overtakes(RenewalHistory earlier) {
		return this.extended != earlier.extended;
	}

	/** The store has confirmed a renewal with these marks. */
	RenewalHistory confirmed(RenewalMarks marked) {
		boolean newest = marked.equals(this.marks);
		int later = this.marks.before(marked.newest());
		return new RenewalHistory(this.marks, (later < 0) ? this.open : Math.min(this.open, later), this.since, this.at,
				this.failure, this.endangered, this.confirmed + 1, this.failed, this.extended,
				this.extending && !newest);
	}

	/**
	 * Note the outcome of a renewal or of the release.
	 * @param cause its failure; {@code null} if it was confirmed
	 * @param left the rest of the lease in nanoseconds, negative after its end
	 * @param given the lease that the store has given last, in nanoseconds
	 */
	RenewalHistory withFailure(@Nullable LockStoreException cause, long left, long given) {
		if (cause == null && this.failure == null) {
			return this;
		}
		boolean danger = cause != null && (this.endangered || (left >= 0 && left < given / 2));
		return new RenewalHistory(this.marks, this.open, this.since, this.at, cause, danger, this.confirmed,
				this.failed + ((cause != null) ? 1 : 0), this.extended, this.extending);
	}

}
