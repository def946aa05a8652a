package io.distributedlock.history;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import io.distributedlock.history.Event.Phase;

/**
 * The turns of all processes at one lock, as long as a caller may still get a token of
 * them: it has called before the turn was over.
 */
final class LocalTurns {

	private final long period;

	/** Turns for which the store has been asked, by the request. */
	private final Map<String, LocalTurn> asked = new HashMap<>();

	/** Turns by process, the last one last. */
	private final Map<String, Deque<LocalTurn>> turns = new HashMap<>();

	LocalTurns(Bounds bounds) {
		this.period = bounds.turnNanos();
	}

	/**
	 * Take an event in.
	 * @param highest the highest token so far
	 * @param pending the requests that have no answer yet
	 */
	void apply(Event event, long highest, Collection<PendingRequest> pending) {
		if (event.phase() == Phase.INVOKE) {
			this.asked.put(event.request(), LocalTurn.asking(event.t(), highest));
			return;
		}
		LocalTurn turn = this.asked.remove(event.request());
		if (turn != null && event.phase() == Phase.OK) {
			Deque<LocalTurn> known = this.turns.computeIfAbsent(event.proc(), (ignored) -> new ArrayDeque<>());
			long oldest = pending.stream()
				.filter((request) -> request.invoked().proc().equals(event.proc()))
				.mapToLong((request) -> request.invoked().t())
				.min()
				.orElse(event.t());
			known.removeIf((before) -> before.asked() + this.period < Math.min(oldest, event.t()));
			known.add(turn.granted(event));
		}
	}

	/**
	 * The turn in which a request may have got its token, or {@code null}.
	 * @param event the grant
	 * @param request the call, or {@code null} if none is known
	 */
	LocalTurn of(Event event, PendingRequest request) {
		if (request == null) {
			return null;
		}
		for (LocalTurn turn : this.turns.getOrDefault(event.proc(), new ArrayDeque<>())) {
			if (turn.has(event.token()) && request.invoked().t() <= turn.asked() + this.period) {
				return turn;
			}
		}
		return null;
	}

	/** A process is gone. Its requests are forgotten with the lock. */
	void killed(String proc) {
		this.turns.remove(proc);
	}

	int retained() {
		return this.asked.size() + this.turns.values().stream().mapToInt(Deque::size).sum();
	}

}
