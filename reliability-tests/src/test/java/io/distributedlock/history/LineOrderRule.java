package io.distributedlock.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C11: nobody is given the lock who asked for it after somebody else was in line, first
 * come first served; and readers who are in line for longer than the poll interval are
 * not passed by a second writer. Who is in line is judged on the safe side: the store has
 * said so, and the word is still good.
 */
final class LineOrderRule extends Rule {

	private final Bounds bounds;

	private final Faults faults;

	/** In the order in which they asked, by key and request. */
	private final Map<String, Map<String, Place>> lines = new HashMap<>();

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
		Map<String, Place> line = this.lines.computeIfAbsent(event.key(), (ignored) -> new LinkedHashMap<>());
		if (event.op() == Op.SERVE) {
			Place served = line.remove(event.request());
			if (served != null && event.mode().isExclusive()) {
				check(event, served, line.values());
			}
		}
		else if (event.phase() == Phase.INVOKE) {
			line.putIfAbsent(event.request(), new Place(event));
		}
		else if (event.phase() == Phase.OK) {
			line.computeIfPresent(event.request(), (ignored, place) -> place.stay(event));
		}
		else {
			line.remove(event.request());
		}
	}

	private void check(Event event, Place served, Collection<Place> line) {
		for (Place place : line) {
			if (!isWaiting(place, event)) {
				continue;
			}
			if (place.asked.mode() == Mode.F && place.since < served.asked.t()) {
				violation(event.key(), "%s was served before %s, which had been in line before it asked"
					.formatted(event.request(), place.asked.request()), place.asked, event);
			}
			else if (place.asked.mode() == Mode.R) {
				passed(event, place);
			}
		}
	}

	private void passed(Event event, Place reader) {
		reader.passed++;
		if (reader.passed > 1 && event.t() - reader.since > this.bounds.waitNanos()) {
			violation(event.key(), "%s, in line to read for %d ms, was passed %d times"
				.formatted(reader.asked.request(), (event.t() - reader.since) / 1_000_000, reader.passed), reader.asked,
					event);
		}
	}

	/**
	 * Whether the store certainly has it in line, and it can have been served by none.
	 */
	private boolean isWaiting(Place place, Event event) {
		return place.until > event.t() && this.faults.ableSince(place.asked) <= place.since
				&& this.faults.forgetting(event.key(), place.since, event.t()) == null;
	}

	/** A process is gone, and so are its waiters. */
	void killed(String proc) {
		this.lines.values().forEach((line) -> line.values().removeIf((place) -> place.asked.proc().equals(proc)));
	}

	@Override
	int retained() {
		return this.lines.values().stream().mapToInt(Map::size).sum();
	}

	/** A request in line. */
	private static final class Place {

		private final Event asked;

		private long since = Long.MAX_VALUE;

		private long until = Long.MIN_VALUE;

		private int passed;

		private Place(Event asked) {
			this.asked = asked;
		}

		private Place stay(Event event) {
			this.since = Math.min(this.since, event.t());
			this.until = event.validUntil();
			return this;
		}

	}

}
