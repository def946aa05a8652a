package io.distributedlock.state;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The fair requests that wait for a lock, in the order of their tickets. An expired entry
 * is removed when it comes to the head. An entry has an end of its own, or lasts as long
 * as its instance gives signs of life: then one attempt renews all entries of the
 * instance. Once such an entry is woken, it has to attempt before the sign ends. Not
 * thread-safe.
 */
final class FairQueue {

	/** The end of an entry that lasts as long as its instance gives signs of life. */
	private static final long WITH_INSTANCE = 0;

	final TreeMap<Long, Entry> byTicket = new TreeMap<>();

	/** The end of the last sign of life of each instance, in milliseconds. */
	final TreeMap<String, Long> signs = new TreeMap<>();

	private final Map<RequestId, Long> tickets = new HashMap<>(0);

	boolean isEmpty() {
		return this.byTicket.isEmpty();
	}

	/** Return whether a request has an entry in line that has not expired. */
	boolean hasPlace(RequestId request, long now) {
		Long ticket = this.tickets.get(request);
		Entry place = (ticket != null) ? this.byTicket.get(ticket) : null;
		return place != null && lasts(place, now);
	}

	private boolean lasts(Entry entry, long now) {
		return WaitingLine.lasts(end(entry), now);
	}

	private long end(Entry entry) {
		return (entry.until() != WITH_INSTANCE) ? entry.until()
				: this.signs.getOrDefault(entry.request().instance(), WITH_INSTANCE);
	}

	/** Return the number of entries that have not expired. */
	long count(long now) {
		return this.byTicket.values().stream().filter((each) -> lasts(each, now)).count();
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

	/**
	 * Add or renew an entry that lasts as long as its instance gives signs of life. This
	 * is one.
	 * @param until the end of the sign, in milliseconds
	 */
	void addWithSign(RequestId request, long until, boolean inPlace) {
		add(new Entry(request, WITH_INSTANCE), inPlace);
		this.signs.put(request.instance(), until);
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
		boolean removed = ticket != null && this.byTicket.remove(ticket) != null;
		if (this.byTicket.isEmpty()) {
			this.signs.clear();
		}
		return removed;
	}

	/** The entry of the request that is next, with its end. */
	@Nullable Entry head() {
		Entry head = this.byTicket.isEmpty() ? null : this.byTicket.firstEntry().getValue();
		return (head != null) ? new Entry(head.request(), end(head)) : null;
	}

	/** Return whether the request that is next has not been woken since it attempted. */
	boolean isHeadAsleep() {
		return !isEmpty() && this.byTicket.firstEntry().getValue().until() == WITH_INSTANCE;
	}

	/**
	 * Note that the request that is next is woken: its entry ends with the last sign of
	 * life. The line is not empty.
	 * @return the request
	 */
	RequestId wakeHead() {
		Entry head = this.byTicket.firstEntry().getValue();
		this.byTicket.put(this.byTicket.firstKey(), new Entry(head.request(), end(head)));
		return head.request();
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
