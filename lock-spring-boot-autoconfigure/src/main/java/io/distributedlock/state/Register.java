package io.distributedlock.state;

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

	static Register gone(RequestId request, long end) {
		return new Register(request, Status.GONE, new Lifetime(end, 0), 0, "");
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

		/** It was abandoned, or has lost the lock. */
		GONE

	}

}
