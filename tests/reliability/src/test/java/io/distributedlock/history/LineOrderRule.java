package io.distributedlock.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C11: no request is granted that asked after another one was in line, first come first
 * served; and readers that are in line for longer than the poll interval are not passed
 * by a second writer. Being in line is judged on the safe side: the store has said so,
 * and the waiter entry is still valid.
 * <p>
 * Independent nodes have a line each. Fair ones are served in the order of the line that
 * they stand in, which may be another one for each of them; who is not fair comes after
 * them on all nodes, from when they have told the others that they wait; and readers may
 * be passed by one more.
 */
final class LineOrderRule extends Rule {

	private final Bounds bounds;

	private final Faults faults;

	/** Waiters in the order of their requests, by key, node and request. */
	private final Map<LineId, Map<String, Place>> lines = new HashMap<>();

	LineOrderRule(Findings findings, Bounds bounds, Faults faults) {
		super(RuleName.C11_ORDER, findings);
		this.bounds = bounds;
		this.faults = faults;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (event.op() != Op.QUEUE && event.op() != Op.SERVE) {
			return;
		}
		LineId id = new LineId(event.key(), event.outcome());
		Map<String, Place> line = this.lines.computeIfAbsent(id, (ignored) -> new LinkedHashMap<>());
		if (event.op() == Op.SERVE) {
			served(event, id, line);
		}
		else if (event.phase() == Phase.INVOKE) {
			line.computeIfAbsent(event.request(), (ignored) -> new Place(event)).looks();
		}
		else if (event.phase() == Phase.OK) {
			line.computeIfPresent(event.request(), (ignored, place) -> stays(place, event));
		}
		else {
			line.remove(event.request());
		}
	}

	/** On a node a request may ask again for a lock it has, before it leaves. */
	private void served(Event event, LineId id, Map<String, Place> line) {
		Place served = id.isOfNode() ? line.get(event.request()) : line.remove(event.request());
		if (served == null || served.served) {
			return;
		}
		served.served = true;
		if (event.mode().isExclusive()) {
			check(event, served, line.values());
		}
	}

	private Place stays(Place place, Event event) {
		if (place.overtaker != null) {
			overtaken(place, place.overtaker);
		}
		place.stays(event);
		return place;
	}

	private void check(Event event, Place served, Collection<Place> line) {
		for (Place place : line) {
			if (!isWaiting(place, event)) {
				continue;
			}
			if (place.asked.mode() == Mode.R) {
				passed(event, place);
			}
			else if (place.asked.mode() == Mode.F && comesAfter(served.asked, place)) {
				if (place.looking) {
					// Who it is that was served first shows in the answer.
					place.overtaker = event;
				}
				else {
					overtaken(place, event);
				}
			}
		}
	}

	/** Return whether a request asked after another one was certainly in line. */
	private boolean comesAfter(Event asked, Place place) {
		if (this.bounds.quorum() && asked.outcome().isEmpty()) {
			return asked.mode() != Mode.F && place.since + this.bounds.commandNanos() < asked.t();
		}
		return place.since < asked.t();
	}

	private void overtaken(Place place, Event by) {
		violation(by.key(), "%s was served before %s, which had been in line before it asked".formatted(by.request(),
				place.asked.request()), place.asked, by);
	}

	private void passed(Event event, Place reader) {
		reader.passed++;
		if (reader.passed > this.bounds.writersBeforeReader() && event.t() - reader.since > this.bounds.waitNanos()) {
			violation(event.key(), "%s, in line to read for %d ms, was passed %d times"
				.formatted(reader.asked.request(), (event.t() - reader.since) / 1_000_000, reader.passed), reader.asked,
					event);
		}
	}

	/** Return whether a request is certainly in line and certainly not served. */
	private boolean isWaiting(Place place, Event event) {
		return !place.served && place.until > event.t() && this.faults.ableSince(place.asked) <= place.since
				&& this.faults.forgetting(event.key(), place.sent, event.t()) == null
				&& !this.faults.mayHaveForgotten(event.outcome(), place.since, event.t());
	}

	/** A process is gone, and so are its waiters. */
	void killed(String proc) {
		this.lines.values().forEach((line) -> line.values().removeIf((place) -> place.asked.proc().equals(proc)));
	}

	@Override
	int retained() {
		return this.lines.values().stream().mapToInt(Map::size).sum();
	}

	/** A lock, and a node if it is one that has a line of its own, or nothing. */
	private record LineId(String key, String node) {

		private boolean isOfNode() {
			return !this.node.isEmpty();
		}

	}

	/** A request in line. */
	private static final class Place {

		private final Event asked;

		private long since = Long.MAX_VALUE;

		/** The time of the attempt whose answer made it a waiter. */
		private long sent;

		private long until = Long.MIN_VALUE;

		private int passed;

		/** {@code true} while an attempt has no answer, and may have been served. */
		private boolean looking;

		private boolean served;

		/**
		 * A request that was served meanwhile, although it came after this one was in
		 * line.
		 */
		private Event overtaker;

		private Place(Event asked) {
			this.asked = asked;
		}

		/** A request without answer may have been served, and be in line anew since. */
		private void looks() {
			if (this.looking) {
				this.since = Long.MAX_VALUE;
			}
			this.looking = true;
			this.overtaker = null;
		}

		/** A waiter that attempts too late, or was served, is at the end of the line. */
		private void stays(Event event) {
			boolean anew = this.served || this.until < event.t();
			this.sent = (anew || event.t() < this.since) ? event.sent() : this.sent;
			this.since = anew ? event.t() : Math.min(this.since, event.t());
			this.until = event.validUntil();
			this.looking = false;
			this.served = false;
			this.overtaker = null;
		}

	}

}
