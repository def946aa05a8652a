package io.distributedlock.state;

import java.util.Comparator;

import io.distributedlock.store.RequestId;

/**
 * The waiter entry of a request.
 *
 * @param request the request
 * @param until the end of the entry, in milliseconds
 */
record Entry(RequestId request, long until) {

	static final Comparator<RequestId> BY_ID = (one, other) -> {
		int byInstance = Long.compareUnsigned(one.instanceBits(), other.instanceBits());
		return (byInstance != 0) ? byInstance : Long.compareUnsigned(one.sequenceBits(), other.sequenceBits());
	};

	boolean lasts(long now) {
		return WaitingLine.lasts(this.until, now);
	}

}
