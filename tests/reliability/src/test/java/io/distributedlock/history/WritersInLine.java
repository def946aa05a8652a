package io.distributedlock.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * The exclusive waiters that certainly have an entry, by the answers of the store. A fair
 * request has its own entry; any other shares that of its instance, which may go on with
 * another request.
 */
final class WritersInLine {

	/** How many digits of a request are those of its instance. */
	private static final int INSTANCE_LENGTH = 16;

	private final Bounds bounds;

	private final Faults faults;

	/** The entries by key, and by request or instance. */
	private final Map<String, Map<String, Entry>> entries = new HashMap<>();

	/**
	 * The time at which a request of an instance left or was served last, by key and
	 * instance.
	 */
	private final Map<String, Map<String, Long>> left = new HashMap<>();

	WritersInLine(Bounds bounds, Faults faults) {
		this.bounds = bounds;
		this.faults = faults;
	}

	/** Take in an event of a request that wants a lock alone. */
	void accept(Event event) {
		if (event.op() != Op.QUEUE && event.op() != Op.SERVE) {
			return;
		}
		Map<String, Entry> entries = this.entries.computeIfAbsent(event.key(), (ignored) -> new HashMap<>());
		if (event.op() == Op.SERVE || event.phase() == Phase.FAIL) {
			entries.remove(event.request());
			entries.remove(instance(event));
			this.left.computeIfAbsent(event.key(), (ignored) -> new HashMap<>()).put(instance(event), event.t());
		}
		else if (event.phase() != Phase.INVOKE && !mayHaveLeft(event)) {
			entries.merge((event.mode() == Mode.F) ? event.request() : instance(event),
					new Entry(event, event.t(), event.sent()), Entry::then);
		}
	}

	/**
	 * Return whether the entry may have gone with another request of its instance before
	 * the answer was there.
	 */
	private boolean mayHaveLeft(Event event) {
		long left = this.left.getOrDefault(event.key(), Map.of()).getOrDefault(instance(event), Long.MIN_VALUE);
		return event.mode() != Mode.F && event.prev() != 0 && event.prev() <= left;
	}

	private static String instance(Event event) {
		String request = event.request();
		return request.substring(0, Math.min(INSTANCE_LENGTH, request.length()));
	}

	/**
	 * A request that was in line before a time and still is.
	 * @param now the current event
	 * @param asked when the other request asked
	 * @return the event of its waiter entry, or {@code null} if there is none
	 */
	Event before(Event now, long asked) {
		Collection<Entry> entries = this.entries.getOrDefault(now.key(), Map.of()).values();
		return entries.stream()
			.filter((entry) -> entry.since + told() < asked && isGood(entry, now))
			.map((entry) -> entry.event)
			.findFirst()
			.orElse(null);
	}

	/** Some of several nodes learn of the request after its answer. */
	private long told() {
		return this.bounds.quorum() ? this.bounds.commandNanos() : 0;
	}

	private boolean isGood(Entry entry, Event now) {
		return entry.event.validUntil() > now.t() && this.faults.ableSince(entry.event) <= entry.since
				&& this.faults.forgetting(now.key(), entry.sent, now.t()) == null;
	}

	/** A process is gone, and so are its waiters. */
	void killed(String proc) {
		this.entries.values()
			.forEach((entries) -> entries.values().removeIf((entry) -> entry.event.proc().equals(proc)));
	}

	int retained() {
		return Stream.of(this.entries, this.left).flatMap((each) -> each.values().stream()).mapToInt(Map::size).sum();
	}

	/**
	 * The waiter entry of a request or an instance.
	 *
	 * @param event the last answer of the store, with the time until when it is good
	 * @param since when the store said it first without a gap
	 * @param sent when that was asked
	 */
	private record Entry(Event event, long since, long sent) {

		private Entry then(Entry next) {
			return (this.event.validUntil() < next.since) ? next : new Entry(next.event, this.since, this.sent);
		}

	}

}
