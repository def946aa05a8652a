package io.distributedlock.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * Who certainly waits to have a lock alone, as the store has said. A fair request waits
 * for itself, another one for its instance, which may go on with another request.
 */
final class WritersInLine {

	/** How many digits of a request are those of its instance. */
	private static final int INSTANCE_LENGTH = 16;

	private final Bounds bounds;

	private final Faults faults;

	/** By key, and by request or instance. */
	private final Map<String, Map<String, Word>> words = new HashMap<>();

	/** When a request of an instance left or was served last, by key and instance. */
	private final Map<String, Map<String, Long>> left = new HashMap<>();

	WritersInLine(Bounds bounds, Faults faults) {
		this.bounds = bounds;
		this.faults = faults;
	}

	/** Take in what somebody does who wants a lock alone. */
	void accept(Event event) {
		if (event.op() != Op.QUEUE && event.op() != Op.SERVE) {
			return;
		}
		Map<String, Word> words = this.words.computeIfAbsent(event.key(), (ignored) -> new HashMap<>());
		if (event.op() == Op.SERVE || event.phase() == Phase.FAIL) {
			words.remove(event.request());
			words.remove(instance(event));
			this.left.computeIfAbsent(event.key(), (ignored) -> new HashMap<>()).put(instance(event), event.t());
		}
		else if (event.phase() != Phase.INVOKE && !mayHaveLeft(event)) {
			words.merge((event.mode() == Mode.F) ? event.request() : instance(event),
					new Word(event, event.t(), event.sent()), Word::then);
		}
	}

	/**
	 * Whether the word may have gone with another request of its instance before the
	 * answer was there.
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
	 * Somebody who was in line before a time and is still.
	 * @param now what happens now
	 * @param asked when somebody else asked
	 * @return the word, or {@code null} if there is none
	 */
	Event before(Event now, long asked) {
		Collection<Word> words = this.words.getOrDefault(now.key(), Map.of()).values();
		return words.stream()
			.filter((word) -> word.since + told() < asked && isGood(word, now))
			.map((word) -> word.event)
			.findFirst()
			.orElse(null);
	}

	/** Of several nodes some are told after the answer. */
	private long told() {
		return this.bounds.quorum() ? this.bounds.commandNanos() : 0;
	}

	private boolean isGood(Word word, Event now) {
		return word.event.validUntil() > now.t() && this.faults.ableSince(word.event) <= word.since
				&& this.faults.forgetting(now.key(), word.sent, now.t()) == null;
	}

	/** A process is gone, and so are its waiters. */
	void killed(String proc) {
		this.words.values().forEach((words) -> words.values().removeIf((word) -> word.event.proc().equals(proc)));
	}

	int retained() {
		return Stream.of(this.words, this.left).flatMap((each) -> each.values().stream()).mapToInt(Map::size).sum();
	}

	/**
	 * That somebody waits.
	 *
	 * @param event what was said last, with the time until when it is good
	 * @param since when it was said first without a gap
	 * @param sent when that was asked
	 */
	private record Word(Event event, long since, long sent) {

		private Word then(Word next) {
			return (this.event.validUntil() < next.since) ? next : new Word(next.event, this.since, this.sent);
		}

	}

}
