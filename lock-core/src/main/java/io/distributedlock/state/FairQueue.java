package io.distributedlock.state;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The fair requests that wait for a lock, in the order of their tickets. An expired entry
 * is removed when it comes to the head. Not thread-safe.
 */
final class FairQueue {

	final TreeMap<Long, Entry> byTicket = new TreeMap<>();

	private final Map<RequestId, Long> tickets = new HashMap<>(0);

	boolean isEmpty() {
		return this.byTicket.isEmpty();
	}

	/** Return whether a request has an entry in line that has not expired. */
	boolean hasPlace(RequestId request, long now) {
		Long ticket = this.tickets.get(request);
		Entry place = (ticket != null) ? this.byTicket.get(ticket) : null;
		return place != null && place.lasts(now);
	}

	/** Add an entry at the end of the line, or renew it in its position. */
	void add(Entry entry, boolean inPlace) {
		Long ticket = this.tickets.get(entry.request());
		if (ticket == null || !inPlace) {
			remove(entry.request());
			ticket = this.byTicket.isEmpty() ? 1 : this.byTicket.lastKey() + 1;
		}
		put(ticket, entry);
	}

	/** Put an entry before all others. */
	void addFirst(Entry entry) {
		remove(entry.request());
		put(this.byTicket.isEmpty() ? 1 : this.byTicket.firstKey() - 1, entry);
	}

	void put(long ticket, Entry entry) {
		this.byTicket.put(ticket, entry);
		this.tickets.put(entry.request(), ticket);
	}

	boolean remove(RequestId request) {
		Long ticket = this.tickets.remove(request);
		return ticket != null && this.byTicket.remove(ticket) != null;
	}

	/** The entry of the request that is next. */
	@Nullable Entry head() {
		return this.byTicket.isEmpty() ? null : this.byTicket.firstEntry().getValue();
	}

	/** Remove expired entries from the head. */
	void prune(long now) {
		Entry head = head();
		while (head != null && !head.lasts(now)) {
			remove(head.request());
			head = head();
		}
	}

}
