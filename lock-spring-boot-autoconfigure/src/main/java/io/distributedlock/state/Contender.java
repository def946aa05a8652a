package io.distributedlock.state;

import io.distributedlock.store.RequestId;

/**
 * An instance at one of its places: it has one request for a lock at a time, and each has
 * a larger number than those before.
 *
 * @param instanceBits the instance
 * @param place the place
 */
record Contender(long instanceBits, int place) {

	static Contender of(RequestId request) {
		return new Contender(request.instanceBits(), request.place());
	}

}
