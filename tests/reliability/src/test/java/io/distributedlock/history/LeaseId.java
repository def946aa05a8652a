package io.distributedlock.history;

import io.distributedlock.history.Event.Mode;

/**
 * The identity of a holder. One request can serve several holders, each with a token of
 * its own.
 *
 * @param request the request
 * @param token the token
 * @param mode the kind of lock that it holds
 */
record LeaseId(String request, long token, Mode mode) {

	static LeaseId of(Event event) {
		return new LeaseId(event.request(), event.token(), event.mode());
	}

}
