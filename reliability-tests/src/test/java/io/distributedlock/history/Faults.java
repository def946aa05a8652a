package io.distributedlock.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.history.Event.Phase;

/** The faults so far, and what they excuse. */
final class Faults {

	private final Bounds bounds;

	/** Faults that have begun and not ended, by their request. */
	private final Map<String, Window> open = new HashMap<>();

	private final Map<String, Halt> stops = new HashMap<>();

	private final Map<String, Halt> outages = new HashMap<>();

	/** Where the store has forgotten locks, or may have, by key and in order of time. */
	private final Map<String, List<Window>> losses = new HashMap<>();

	Faults(Bounds bounds) {
		this.bounds = bounds;
	}

	/**
	 * Take a fault in.
	 * @return its window; without an end as long as it has not ended
	 */
	Window apply(Event event) {
		NemesisKind kind = NemesisKind.valueOf(event.outcome());
		if (event.phase() == Phase.INVOKE) {
			Window window = new Window(kind, event);
			this.open.put(event.request(), window);
			begin(window);
			return window;
		}
		Window window = this.open.remove(event.request());
		if (window == null) {
			throw new IllegalArgumentException("A fault ends that has not begun: " + event);
		}
		end(window, event.t());
		return window;
	}

	private void begin(Window window) {
		switch (window.kind) {
			case STOP -> this.stops.computeIfAbsent(window.target(), (ignored) -> new Halt()).begin(window);
			case OUTAGE -> this.outages.computeIfAbsent(window.target(), (ignored) -> new Halt()).begin(window);
			case LOSS, DOUBT ->
				this.losses.computeIfAbsent(window.begin.key(), (ignored) -> new ArrayList<>()).add(window);
			default -> {
				// Nothing is excused by the others.
			}
		}
	}

	private void end(Window window, long t) {
		window.end = t;
		if (window.kind == NemesisKind.STOP) {
			this.stops.get(window.target()).close(t);
		}
		else if (window.kind == NemesisKind.OUTAGE) {
			this.outages.get(window.target()).close(t);
		}
	}

	/** Since when a process is able to act; never if it is not. */
	long ableSince(String proc) {
		return Math.max(reachedSince(proc), runningSince(proc));
	}

	/** Since when a process is able to run, after it was stopped. */
	long runningSince(String proc) {
		return since(this.stops.get(proc), this.bounds.slackNanos());
	}

	/** Since when a process reaches the store again, with its commands all answered. */
	long reachedSince(String proc) {
		return Math.max(since(this.outages.get(proc), this.bounds.commandNanos()),
				since(this.outages.get(Event.ALL), this.bounds.commandNanos()));
	}

	private static long since(Halt halt, long recovery) {
		if (halt == null) {
			return Long.MIN_VALUE;
		}
		return (halt.open > 0) ? Long.MAX_VALUE : halt.end + recovery;
	}

	/**
	 * Until when a command without answer may count, which an outage may have held back.
	 * @param until as far as is known without outages
	 */
	long held(long until) {
		long last = Long.MIN_VALUE;
		for (Halt outage : this.outages.values()) {
			if (outage.open > 0) {
				return Long.MAX_VALUE;
			}
			last = Math.max(last, outage.end);
		}
		long lease = this.bounds.leaseNanos() + this.bounds.commandNanos();
		return (last >= until - lease) ? Math.max(until, last + lease) : until;
	}

	/**
	 * Until when the store may have granted a request although its process, stopped or
	 * cut off, does not know.
	 */
	long mayHoldUntil(Event invoked) {
		Halt stop = this.stops.get(invoked.proc());
		long until = Math.max(unknowing(this.outages.get(invoked.proc()), invoked),
				unknowing(this.outages.get(Event.ALL), invoked));
		if (stop == null || stop.end < invoked.t() && stop.open == 0) {
			return until;
		}
		long gone = stop.begin + this.bounds.leaseNanos() + this.bounds.commandNanos();
		return Math.max(until, Math.min(gone, unknowing(stop, invoked)));
	}

	private long unknowing(Halt halt, Event invoked) {
		if (halt == null || halt.open == 0 && halt.end < invoked.t()) {
			return Long.MIN_VALUE;
		}
		return (halt.open > 0) ? Long.MAX_VALUE : halt.end + this.bounds.commandNanos() + this.bounds.slackNanos();
	}

	/**
	 * Whether the store may have forgotten a lock after a request for it was sent and
	 * before an answer was there.
	 */
	boolean mayHaveForgotten(String key, long sent, long answered) {
		return mayHaveForgotten(this.losses.get(key), sent, answered)
				|| mayHaveForgotten(this.losses.get(Event.ALL), sent, answered);
	}

	private static boolean mayHaveForgotten(List<Window> windows, long sent, long answered) {
		if (windows == null) {
			return false;
		}
		for (int i = windows.size() - 1; i >= 0; i--) {
			Window window = windows.get(i);
			if (window.end >= sent && window.begin.t() <= answered) {
				return true;
			}
		}
		return false;
	}

	/** A fault from its begin to its end. */
	static final class Window {

		final NemesisKind kind;

		final Event begin;

		long end = Long.MAX_VALUE;

		Window(NemesisKind kind, Event begin) {
			this.kind = kind;
			this.begin = begin;
		}

		String target() {
			return this.begin.thread();
		}

		boolean hits(String key) {
			return this.begin.key().equals(Event.ALL) || this.begin.key().equals(key);
		}

	}

	/** Faults of one process that may overlap. */
	private static final class Halt {

		private int open;

		private long begin;

		private long end = Long.MIN_VALUE / 2;

		private void begin(Window window) {
			this.open++;
			this.begin = window.begin.t();
		}

		private void close(long t) {
			this.open--;
			this.end = t;
		}

	}

}
