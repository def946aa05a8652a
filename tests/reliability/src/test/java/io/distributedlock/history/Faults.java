package io.distributedlock.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Phase;

/** The faults so far, and the violations that they excuse. */
final class Faults {

	private final Bounds bounds;

	/** Faults that have begun and not ended, by their request. */
	private final Map<String, FaultWindow> open = new HashMap<>();

	private final Map<String, Halt> stops = new HashMap<>();

	private final Map<Cut, Halt> outages = new HashMap<>();

	/**
	 * The windows in which the store has or may have forgotten locks, by key and in order
	 * of time.
	 */
	private final Map<String, List<FaultWindow>> losses = new HashMap<>();

	/** The windows in which one of several nodes may have forgotten locks, by node. */
	private final Map<String, List<FaultWindow>> nodes = new HashMap<>();

	Faults(Bounds bounds) {
		this.bounds = bounds;
	}

	/**
	 * Take a fault in.
	 * @return its window; without an end as long as it has not ended
	 */
	FaultWindow apply(Event event) {
		NemesisKind kind = NemesisKind.valueOf(event.outcome());
		if (event.phase() == Phase.INVOKE) {
			FaultWindow window = new FaultWindow(kind, event);
			this.open.put(event.request(), window);
			begin(window);
			return window;
		}
		FaultWindow window = this.open.remove(event.request());
		if (window == null) {
			throw new IllegalArgumentException("A fault ends that has not begun: " + event);
		}
		end(window, event.t());
		return window;
	}

	private void begin(FaultWindow window) {
		switch (window.kind) {
			case STOP -> this.stops.computeIfAbsent(window.target(), (ignored) -> new Halt()).begin(window.begin.t());
			case OUTAGE ->
				this.outages.computeIfAbsent(Cut.of(window), (ignored) -> new Halt()).begin(window.begin.t());
			case LOSS, DOUBT, FAILOVER ->
				this.losses.computeIfAbsent(window.begin.key(), (ignored) -> new ArrayList<>()).add(window);
			case NODE -> this.nodes.computeIfAbsent(window.target(), (ignored) -> new ArrayList<>()).add(window);
			default -> {
				// Nothing is excused by the others.
			}
		}
	}

	private void end(FaultWindow window, long t) {
		window.end = t;
		if (window.kind == NemesisKind.STOP) {
			this.stops.get(window.target()).end(t);
		}
		else if (window.kind == NemesisKind.OUTAGE) {
			this.outages.get(Cut.of(window)).end(t);
		}
	}

	/**
	 * Since when the process of a request is able to act on its lock; never if it is not.
	 */
	long ableSince(Event invoked) {
		return Math.max(reachedSince(invoked.proc(), invoked.key()), runningSince(invoked.proc()));
	}

	/** Since when a process is able to run, after it was stopped. */
	long runningSince(String proc) {
		Halt stop = this.stops.get(proc);
		return (stop != null) ? stop.overSince(this.bounds.slackNanos()) : Long.MIN_VALUE;
	}

	/** Since when a process reaches a lock again, with its commands all answered. */
	long reachedSince(String proc, String key) {
		return outages(proc, key).mapToLong((outage) -> outage.overSince(this.bounds.commandNanos()))
			.max()
			.orElse(Long.MIN_VALUE);
	}

	private Stream<Halt> outages(String proc, String key) {
		return Stream.of(new Cut(proc, key), new Cut(proc, Event.ALL), new Cut(Event.ALL, key), Cut.EVERYTHING)
			.map(this.outages::get)
			.filter((outage) -> outage != null);
	}

	/**
	 * The time until which a command without an answer may still be applied, since an
	 * outage may have held it back.
	 * @param until that time without outages
	 */
	long held(String key, long until) {
		long lease = this.bounds.leaseNanos() + this.bounds.commandNanos();
		long held = until;
		for (Map.Entry<Cut, Halt> outage : this.outages.entrySet()) {
			if (outage.getKey().hits(key) && outage.getValue().touches(until - lease)) {
				held = Math.max(held, outage.getValue().overSince(lease));
			}
		}
		return held;
	}

	/**
	 * The time until which the store may have granted a request, or reserved a turn for
	 * it, while its process is stopped or cut off and does not know.
	 * @param grasp how long the store waits for a waiter that does not come
	 */
	long mayHoldUntil(Event invoked, long grasp) {
		long recovery = this.bounds.commandNanos() + this.bounds.slackNanos();
		long until = outages(invoked.proc(), invoked.key()).filter((outage) -> outage.touches(invoked.t()))
			.mapToLong((outage) -> outage.overSince(recovery))
			.max()
			.orElse(Long.MIN_VALUE);
		Halt stop = this.stops.get(invoked.proc());
		if (stop == null || !stop.touches(invoked.t())) {
			return until;
		}
		long gone = stop.begin() + grasp + this.bounds.commandNanos();
		return Math.max(until, Math.min(gone, stop.overSince(recovery)));
	}

	/**
	 * The fault by which the store may have forgotten a lock after a request for it was
	 * sent and before an answer was there, or {@code null}. One that certainly has
	 * forgotten it comes last.
	 */
	FaultWindow forgetting(String key, long sent, long answered) {
		FaultWindow uncertain = last(key,
				(window) -> window.kind != NemesisKind.LOSS && window.overlaps(sent, answered));
		return (uncertain != null) ? uncertain : last(key, (window) -> window.overlaps(sent, answered));
	}

	/** Return whether the store, or some of several nodes, may have forgotten a lock. */
	boolean mayHaveLost(String key, long sent, long answered) {
		return forgetting(key, sent, answered) != null
				|| this.nodes.keySet().stream().anyMatch((node) -> mayHaveForgotten(node, sent, answered));
	}

	/** Return whether any lock may have been lost. */
	boolean mayHaveLostAny(long sent, long answered) {
		return this.losses.keySet().stream().anyMatch((key) -> mayHaveLost(key, sent, answered))
				|| mayHaveLost(Event.ALL, sent, answered);
	}

	/** Return whether one of several nodes may have forgotten who is in line there. */
	boolean mayHaveForgotten(String node, long from, long to) {
		return last(this.nodes.getOrDefault(node, List.of()), (window) -> window.overlaps(from, to)) != null;
	}

	/**
	 * The time until which a released lock may be taken, because a fail-over has undone
	 * the release.
	 * @param ended the time of its last release
	 */
	long undoneUntil(String key, long ended, long grasp) {
		FaultWindow undoing = undoing(key, ended, ended + this.bounds.commandNanos());
		if (undoing == null) {
			return Long.MIN_VALUE;
		}
		return (undoing.end == Long.MAX_VALUE) ? Long.MAX_VALUE : undoing.end + grasp;
	}

	/** Return whether a fail-over until another time may have undone an answer. */
	boolean isUndone(String key, long answered, long until) {
		return undoing(key, answered, until) != null;
	}

	/** An answer comes somewhat later than the change that it tells of. */
	private FaultWindow undoing(String key, long answered, long until) {
		return last(key, (window) -> window.kind == NemesisKind.FAILOVER
				&& window.overlaps(answered - this.bounds.commandNanos(), until));
	}

	private FaultWindow last(String key, Predicate<FaultWindow> meant) {
		FaultWindow here = last(this.losses.getOrDefault(key, List.of()), meant);
		FaultWindow everywhere = last(this.losses.getOrDefault(Event.ALL, List.of()), meant);
		return (here == null || everywhere != null && everywhere.end > here.end) ? everywhere : here;
	}

	private static FaultWindow last(List<FaultWindow> windows, Predicate<FaultWindow> meant) {
		for (int i = windows.size() - 1; i >= 0; i--) {
			if (meant.test(windows.get(i))) {
				return windows.get(i);
			}
		}
		return null;
	}

	/** A process that is cut off from a lock. */
	private record Cut(String proc, String key) {

		private static final Cut EVERYTHING = new Cut(Event.ALL, Event.ALL);

		private static Cut of(FaultWindow window) {
			return new Cut(window.target(), window.begin.key());
		}

		private boolean hits(String otherKey) {
			return this.key.equals(Event.ALL) || this.key.equals(otherKey);
		}

	}

}
