package io.distributedlock.state;

import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/**
 * The last request of a contender for a lock, and its status.
 *
 * @param request the request
 * @param status its status
 * @param lifetime its lease; of a request that has ended only the time of the end
 * @param token its token
 * @param mark the mark of its last renewal, or empty
 * @param permits the number of permits that it has taken; 1 for other locks
 */
record Register(RequestId request, Status status, Lifetime lifetime, long token, String mark, int permits) {

	static Register held(RequestId request, Lifetime lease, long token, int permits) {
		return new Register(request, Status.HELD, lease, token, "", permits);
	}

	static Register ended(RequestId request, Status how, long end) {
		return new Register(request, how, new Lifetime(end, 0), 0, "", 1);
	}

	Register ended(Status how, long end) {
		return new Register(this.request, how, new Lifetime(end, 0), this.token, "", this.permits);
	}

	/** Return this register, ended as {@code GONE} if it was held: its lease ran out. */
	Register expired() {
		return isHeld() ? ended(Status.GONE, this.lifetime.deadline()) : this;
	}

	boolean isOf(RequestId other) {
		return this.request.equals(other);
	}

	boolean isBefore(RequestId other) {
		return this.request.number() < other.number();
	}

	boolean isAfter(RequestId other) {
		return this.request.number() > other.number();
	}

	/** Return whether the request has not ended; its lease may have run out. */
	boolean isHeld() {
		return this.status == Status.HELD;
	}

	/** Return whether the request has the lock. */
	boolean lasts(long now) {
		return isHeld() && this.lifetime.lasts(now);
	}

	/** Return the ownership of a request with these marks of its renewals. */
	Ownership ownership(RequestId of, RenewalMarks marks, long now) {
		if (!isOf(of) || (isHeld() && !marks.know(this.mark))) {
			return Ownership.LOST;
		}
		if (isHeld()) {
			return lasts(now) ? Ownership.HELD : Ownership.EXPIRED;
		}
		return (this.status == Status.GONE) ? Ownership.EXPIRED : Ownership.LOST;
	}

	long end(long now) {
		return this.lifetime.end(now);
	}

	/** Return this register, its lease cut to its full length if the clock went back. */
	Register at(long now) {
		boolean same = !isHeld() || end(now) == this.lifetime.deadline();
		return same ? this : with(this.lifetime.at(now));
	}

	Register with(Lifetime lease) {
		return new Register(this.request, this.status, lease, this.token, this.mark, this.permits);
	}

	Register with(long larger) {
		return new Register(this.request, this.status, this.lifetime, larger, this.mark, this.permits);
	}

	Register with(String newest) {
		return new Register(this.request, this.status, this.lifetime, this.token, newest, this.permits);
	}

	/** The status of a request. */
	enum Status {

		/** It has released the lock. */
		RELEASED,

		/** It has the lock, or is an owner whose lease ran out. */
		HELD,

		/**
		 * It was abandoned, or its lease ran out. An owner stays {@code HELD} until
		 * another request comes.
		 */
		GONE,

		/** The lock was taken away from it. */
		REVOKED

	}

}
