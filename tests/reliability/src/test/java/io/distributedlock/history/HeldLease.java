package io.distributedlock.history;

/**
 * A lease and the belief of its holder. The belief begins with the answer and ends with
 * the call of the release, the news of a loss, the death of the process, or the validity
 * that was known then.
 */
final class HeldLease {

	final LeaseId id;

	/** The call; the answer itself where no call is known. */
	final Event invoked;

	final Event acquired;

	/** The request as known at its call, or {@code null} if no call is known. */
	final PendingRequest request;

	/** The turn of its process in which it was handed on, or {@code null}. */
	final LocalTurn turn;

	/** The largest token given before this one was, and to whom. */
	final long highestBefore;

	final Event highestGrantBefore;

	/** The depth of guarded sections. */
	int depth;

	/** {@code true} once a loss that the holder was told of has been judged. */
	boolean lossJudged;

	/** The time since which the lease has been valid for its holder without a gap. */
	private long believedSince;

	private long validUntil;

	private long ended = Long.MAX_VALUE;

	private long renewing;

	private Event release;

	private boolean lost;

	private boolean killed;

	HeldLease(Event acquired, PendingRequest request, long highestBefore, Event highestGrantBefore, LocalTurn turn) {
		this.id = LeaseId.of(acquired);
		this.acquired = acquired;
		this.request = request;
		this.turn = turn;
		this.invoked = (request != null) ? request.invoked() : acquired;
		this.highestBefore = highestBefore;
		this.highestGrantBefore = highestGrantBefore;
		this.believedSince = acquired.t();
		this.validUntil = acquired.validUntil();
	}

	/** The earliest time at which the store may have granted the lease. */
	long askedAt() {
		return (this.turn != null) ? Math.min(this.turn.asked(), this.invoked.t()) : this.invoked.t();
	}

	boolean believes(long t) {
		return t < this.validUntil && t < this.ended;
	}

	long believedSince() {
		return this.believedSince;
	}

	long validUntil() {
		return this.validUntil;
	}

	/**
	 * A longer validity; one that comes after the end of the last begins a new belief.
	 */
	void extend(Event event) {
		this.renewing = 0;
		if (event.validUntil() > this.validUntil) {
			this.believedSince = believes(event.t()) ? this.believedSince : event.t();
			this.validUntil = event.validUntil();
		}
	}

	void renewing(long t) {
		this.renewing = (this.renewing != 0) ? this.renewing : t;
	}

	void notRenewed() {
		this.renewing = 0;
	}

	void lost(long t) {
		this.lost = true;
		end(t);
	}

	void killed(long t) {
		this.killed = true;
		end(t);
	}

	void releasing(long t) {
		end(t);
	}

	void released(Event answer) {
		this.release = answer;
		end(answer.t());
	}

	private void end(long t) {
		this.ended = Math.min(this.ended, t);
	}

	/** Return whether the holder has released the lease, or was killed. */
	boolean isClosed() {
		return this.killed || this.release != null;
	}

	boolean isLost() {
		return this.lost;
	}

	boolean isKilled() {
		return this.killed;
	}

	/** Return whether the lease was given up, lost or orphaned, rather than run out. */
	boolean hasEnded() {
		return this.ended != Long.MAX_VALUE;
	}

	/** Return whether a renewal without answer may still reach the store. */
	boolean mayBeRenewed() {
		return this.renewing != 0 && (this.release == null || this.release.phase() == Event.Phase.INFO);
	}

	/** The time until which the lock may be held in the store. */
	long takenUntil(Bounds bounds) {
		if (this.release != null && this.release.phase() != Event.Phase.INFO) {
			return Math.max(this.release.t(), this.release.validUntil());
		}
		if (!bounds.renewals()) {
			return hasEnded() ? this.ended + bounds.leaseNanos() + bounds.commandNanos() : Long.MAX_VALUE;
		}
		long known = this.validUntil + bounds.driftNanos();
		if (this.renewing == 0) {
			return known;
		}
		long sent = this.killed ? Math.max(this.renewing, this.ended) : this.renewing;
		return Math.max(known, sent + bounds.leaseNanos() + bounds.commandNanos());
	}

}
