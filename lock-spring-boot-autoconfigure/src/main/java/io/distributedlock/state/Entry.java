package io.distributedlock.state;

import java.util.Comparator;

import io.distributedlock.store.RequestId;

/**
 * That a request waits for a lock.
 *
 * @param request the request
 * @param lifetime how long the entry counts
 */
record Entry(RequestId request, Lifetime lifetime) {

	static final Comparator<RequestId> BY_ID = (one, other) -> {
		int byInstance = Long.compareUnsigned(one.instanceBits(), other.instanceBits());
		return (byInstance != 0) ? byInstance : Long.compareUnsigned(one.sequenceBits(), other.sequenceBits());
	};

	boolean lasts(long now) {
		return this.lifetime.lasts(now);
	}

}
