package io.distributedlock.state;

import java.util.Map;

import io.distributedlock.store.RequestId;

/**
 * What is kept of a request that holds a lock or waits for it.
 *
 * @param request the request
 * @param lifetime its lease, or how long the entry counts
 * @param number the token of a holder, the ticket of a fair waiter
 * @param mark that of the last renewal, or empty
 */
record Entry(RequestId request, Lifetime lifetime, long number, String mark) {

	Entry(RequestId request, Lifetime lifetime, long number) {
		this(request, lifetime, number, "");
	}

	boolean lasts(long now) {
		return this.lifetime.lasts(now);
	}

	long end(long now) {
		return this.lifetime.end(now);
	}

	static boolean anyLasts(Map<RequestId, Entry> entries, long now) {
		return entries.values().stream().anyMatch((entry) -> entry.lasts(now));
	}

	/** Those whose time is over go. */
	static void prune(Map<RequestId, Entry> entries, long now) {
		entries.values().removeIf((entry) -> !entry.lasts(now));
		entries.replaceAll((request, entry) -> entry.at(now));
	}

	/** As the clock shows it now. */
	Entry at(long now) {
		return (end(now) == this.lifetime.deadline()) ? this : with(this.lifetime.at(now));
	}

	Entry with(Lifetime lifetime) {
		return new Entry(this.request, lifetime, this.number, this.mark);
	}

	Entry with(long number) {
		return new Entry(this.request, this.lifetime, number, this.mark);
	}

	Entry with(String mark) {
		return new Entry(this.request, this.lifetime, this.number, mark);
	}

}
