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
 * instance. If no sign came in time, they have ended together, and the next sign is the
 * first of a new row. Once such an entry is woken, it has to attempt before the last sign
 * ends. Not thread-safe.
 */
final class FairQueue {

	final TreeMap<Long, Place> byTicket = new TreeMap<>();

	/** The last sign of life of each instance. */
	final TreeMap<String, Sign> signs = new TreeMap<>();

	private final Map<RequestId, Long> tickets = new HashMap<>(0);

	boolean isEmpty() {
		return this.byTicket.isEmpty();
	}

	/** Return whether a request has an entry in line that has not expired. */
	boolean hasPlace(RequestId request, long now) {
		Place place = place(request);
		return place != null && lasts(place, now);
	}

	private @Nullable Place place(RequestId request) {
		Long ticket = this.tickets.get(request);
		return (ticket != null) ? this.byTicket.get(ticket) : null;
	}

	private boolean lasts(Place place, long now) {
		return WaitingLine.lasts(end(place), now);
	}

	private long end(Place place) {
		Sign last = place.isAsleep() ? this.signs.get(place.request.instance()) : null;
		return (last != null && last.since == place.since) ? last.until : place.until;
	}

	/** Return the number of entries that have not expired. */
	long count(long now) {
		return this.byTicket.values().stream().filter((each) -> lasts(each, now)).count();
	}

	/** Add an entry at the end of the line, or renew it in its position. */
	void add(RequestId request, long until, boolean inPlace) {
		add(new Place(request, until, 0), inPlace);
	}

	/**
	 * Add or renew an entry that lasts as long as its instance gives signs of life. This
	 * is one.
	 * @param until the end of the sign, in milliseconds
	 * @param retention the time for which a sign that has ended is kept
	 */
	void addWithSign(RequestId request, long until, boolean inPlace, long now, long retention) {
		Sign before = this.signs.get(request.instance());
		long since = (before != null && WaitingLine.lasts(before.until, now)) ? before.since : now;
		this.signs.values().removeIf((sign) -> sign.until + retention < now);
		this.signs.put(request.instance(), new Sign(until, since));
		add(new Place(request, 0, since), inPlace);
	}

	private void add(Place place, boolean inPlace) {
		Long ticket = this.tickets.get(place.request);
		if (ticket == null || !inPlace) {
			remove(place.request);
			ticket = this.byTicket.isEmpty() ? 1 : this.byTicket.lastKey() + 1;
		}
		put(ticket, place);
	}

	/**
	 * Return when the row of signs began with which the entry of a request lasts, or
	 * zero.
	 */
	long since(RequestId request) {
		Place place = place(request);
		return (place != null) ? place.since : 0;
	}

	/** Put an entry before all others. */
	void addFirst(RequestId request, long until) {
		remove(request);
		put(this.byTicket.isEmpty() ? 1 : this.byTicket.firstKey() - 1, new Place(request, until, 0));
	}

	void put(long ticket, Place place) {
		this.byTicket.put(ticket, place);
		this.tickets.put(place.request, ticket);
	}

	boolean remove(RequestId request) {
		Long ticket = this.tickets.remove(request);
		return ticket != null && this.byTicket.remove(ticket) != null;
	}

	/** The entry of the request that is next, with its end. */
	@Nullable Entry head() {
		Place head = this.byTicket.isEmpty() ? null : this.byTicket.firstEntry().getValue();
		return (head != null) ? new Entry(head.request, end(head)) : null;
	}

	/** Return whether the request that is next has not been woken since it attempted. */
	boolean isHeadAsleep() {
		return !isEmpty() && this.byTicket.firstEntry().getValue().isAsleep();
	}

	/**
	 * Note that the request that is next is woken: its entry ends with the last sign of
	 * life. The line is not empty.
	 * @return the request
	 */
	RequestId wakeHead() {
		Place head = this.byTicket.firstEntry().getValue();
		this.byTicket.put(this.byTicket.firstKey(), new Place(head.request, end(head), 0));
		return head.request;
	}

	/** Remove expired entries from the head. */
	void prune(long now) {
		Entry head = head();
		while (head != null && !head.lasts(now)) {
			remove(head.request());
			head = head();
		}
	}

	/**
	 * The entry of a fair request.
	 *
	 * @param request the request
	 * @param until its own end, in milliseconds, or zero
	 * @param since the beginning of the row of signs with which it lasts, or zero
	 */
	record Place(RequestId request, long until, long since) {

		/** Return whether it lasts with its instance, and was not woken. */
		boolean isAsleep() {
			return this.until == 0;
		}

	}

	/**
	 * The last sign of life of an instance.
	 *
	 * @param until when it ends, in milliseconds
	 * @param since when the first of the row was given, in which none came too late
	 */
	record Sign(long until, long since) {
	}

}
