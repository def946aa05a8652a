package io.distributedlock.engine;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.RenewalMarks;
import org.jspecify.annotations.Nullable;

/**
 * How the renewals of a grant were marked so far. Immutable.
 *
 * @param marks the marks, the newest one first
 * @param open how many of the newest ones the store has not confirmed
 * @param since when the last jump of a clock was noticed before the newest one
 * @param at when the newest one was drawn
 * @param failure why the last renewal was not confirmed, until one is
 * @param endangered whether less than half of the lease was left then, until one is
 * @param confirmed how many renewals the store has confirmed
 * @param failed how many it has not
 * @param extended how often an extend was sent
 * @param extending whether the newest mark is that of an extend which the store has not
 * confirmed
 */
record RenewalHistory(RenewalMarks marks, int open, long since, long at, @Nullable LockStoreException failure,
		boolean endangered, int confirmed, int failed, int extended, boolean extending) {

	static final RenewalHistory NONE = new RenewalHistory(RenewalMarks.NONE, 0, Long.MAX_VALUE, 0, null, false, 0, 0, 0,
			false);

	/** A renewal comes after a third of the lease. */
	private static final int MARKS_PER_LEASE = 6;

	/**
	 * Whether a renewal that is sent now has a new mark. One that is repeated, or follows
	 * the one before soon, has the same marks: those that a node of a quorum or a replica
	 * has last seen must not be pushed out. But after a jump of a clock another process
	 * may send the same. The mark of an extend is that of no renewal, since one that
	 * comes before it would make it a copy.
	 */
	boolean wantsMark(long now, long ttlNanos, long doubtedAt) {
		boolean due = this.open == 0 && now - this.at >= ttlNanos / MARKS_PER_LEASE;
		return due || this.extending || doubtedAt != this.since;
	}

	RenewalHistory withMark(int mark, long now, long doubtedAt) {
		return withMark(mark, now, doubtedAt, false);
	}

	/** An extend is sent: what was sent before has no effect behind it. */
	RenewalHistory withExtend(int mark, long now, long doubtedAt) {
		return withMark(mark, now, doubtedAt, true);
	}

	private RenewalHistory withMark(int mark, long now, long doubtedAt, boolean extend) {
		return new RenewalHistory(this.marks.with(mark, this.open), this.open + 1, doubtedAt, now, this.failure,
				this.endangered, this.confirmed, this.failed, this.extended + (extend ? 1 : 0), extend);
	}

	/** Whether an extend was sent after what was sent with an earlier history. */
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
	 * A renewal has failed, or was confirmed if there is no cause.
	 * @param left how much is left of the lease, negative if it is over
	 * @param given how much the store has given last
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
