package io.distributedlock.state;

import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/**
 * The last request of a contender for a lock, and what has become of it.
 *
 * @param request the request
 * @param status what has become of it
 * @param lifetime its lease; of a request that has ended only the time of the end
 * @param token its token
 * @param mark that of the last renewal, or empty
 */
record Register(RequestId request, Status status, Lifetime lifetime, long token, String mark) {

	static Register held(RequestId request, Lifetime lease, long token) {
		return new Register(request, Status.HELD, lease, token, "");
	}

	static Register ended(RequestId request, Status how, long end) {
		return new Register(request, how, new Lifetime(end, 0), 0, "");
	}

	Register ended(Status how, long end) {
		return new Register(this.request, how, new Lifetime(end, 0), this.token, "");
	}

	/** The same register, gone if its lease ran out. */
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

	/** Whether the request has not ended, though its lease may have run out. */
	boolean isHeld() {
		return this.status == Status.HELD;
	}

	/** Whether the request has the lock. */
	boolean lasts(long now) {
		return isHeld() && this.lifetime.lasts(now);
	}

	/** What is said of a request with marks of its renewals. */
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

	/** The same register as the clock shows it now. */
	Register at(long now) {
		boolean same = !isHeld() || end(now) == this.lifetime.deadline();
		return same ? this : with(this.lifetime.at(now));
	}

	Register with(Lifetime lease) {
		return new Register(this.request, this.status, lease, this.token, this.mark);
	}

	Register with(long larger) {
		return new Register(this.request, this.status, this.lifetime, larger, this.mark);
	}

	Register with(String newest) {
		return new Register(this.request, this.status, this.lifetime, this.token, newest);
	}

	/** What can have become of a request. */
	enum Status {

		/** It has given the lock back. */
		RELEASED,

		/** It has the lock, or had it until its lease ran out. */
		HELD,

		/** It was abandoned, or its lease ran out and another request came. */
		GONE,

		/** The lock was taken away from it. */
		REVOKED

	}

}
