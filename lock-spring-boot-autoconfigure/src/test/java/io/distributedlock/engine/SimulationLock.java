package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.distributedlock.store.RequestId;

/**
 * The hash of one lock as the scripts keep it, with the letters of {@code acquire.lua}
 * written out. Times are milliseconds of the server.
 */
final class SimulationLock {

	private static final int RELEASED_KEPT = 8;

	private static final int SHARED_RELEASED_KEPT = 128;

	private static final int ABANDONED_KEPT = 64;

	private static final int MOST_WAITING = 64;

	private static final long OLDEST_WORD = 60_000;

	/** Nothing, or {@code X}, or {@code S} of a semaphore. */
	char kind;

	int permits;

	RequestId owner;

	/** That of the last renewal by the owner, or {@code null}. */
	String mark;

	long token;

	long deadline;

	long longestLease;

	long kept;

	long longestKept;

	/** When Redis drops the hash. */
	long expireAt;

	/** When readers look for dead ones, or zero where there are none. */
	long lookAt;

	/** There are waiting readers, or some that may come in, or fair waiters. */
	boolean queued;

	long lastTicket;

	final Map<RequestId, SimulationEntry> readers = new HashMap<>(2);

	final Map<RequestId, SimulationEntry> waitingReaders = new HashMap<>(2);

	final Map<RequestId, SimulationEntry> letIn = new HashMap<>(2);

	final Map<RequestId, SimulationEntry> fair = new HashMap<>(2);

	private final List<RequestId> released = new ArrayList<>(2);

	private final List<RequestId> sharedReleased = new ArrayList<>(2);

	private final List<RequestId> abandoned = new ArrayList<>(2);

	private List<Word> words = new ArrayList<>(2);

	/** If the clock went back, nothing lasts longer than it was taken for. */
	long deadline(long now) {
		return Math.min(this.deadline, now + this.longestLease);
	}

	long kept(long now) {
		return Math.min(this.kept, now + this.longestKept);
	}

	boolean isHeld(long now) {
		return this.owner != null && deadline(now) > now;
	}

	/** Whether nobody has it alone; readers and permits are not looked at. */
	boolean isFree(long now) {
		return !isHeld(now) && kept(now) <= now;
	}

	/** Whether only a look through the hash tells who is there. */
	boolean isShared() {
		return this.lookAt != 0 || this.queued;
	}

	/** Whether somebody who wants it alone is in line. */
	boolean isWaitedForAlone(long now) {
		return !words("", now).isEmpty()
				|| this.fair.values().stream().anyMatch((entry) -> entry.at(now).deadline() > now);
	}

	boolean isLookDue(long now) {
		return this.lookAt != 0 && (this.lookAt <= now || this.lookAt > now + SimulationShare.LOOK_EVERY);
	}

	boolean hasEnded(RequestId request, boolean alone) {
		return this.released.contains(request) || this.abandoned.contains(request)
				|| (!alone && this.sharedReleased.contains(request));
	}

	boolean hasAbandoned(RequestId request) {
		return this.abandoned.contains(request);
	}

	boolean hasReleased(RequestId request) {
		return this.released.contains(request) || this.sharedReleased.contains(request);
	}

	void noteReleased(RequestId request) {
		remember(this.released, request, RELEASED_KEPT);
	}

	void noteSharedReleased(RequestId request) {
		remember(this.sharedReleased, request, SHARED_RELEASED_KEPT);
	}

	void noteAbandoned(RequestId request) {
		if (!this.abandoned.contains(request)) {
			remember(this.abandoned, request, ABANDONED_KEPT);
		}
	}

	/** Leases that ran out make room for others. */
	void noteExpired(List<RequestId> requests) {
		for (int i = requests.size() - 1; i >= 0; i--) {
			remember(this.abandoned, requests.get(i), ABANDONED_KEPT);
		}
	}

	private static void remember(List<RequestId> ring, RequestId request, int most) {
		ring.add(0, request);
		if (ring.size() > most) {
			ring.remove(most);
		}
	}

	void disown() {
		this.owner = null;
		this.mark = null;
		this.deadline = 0;
		this.longestLease = 0;
	}

	void keepNoMore() {
		this.kept = 0;
		this.longestKept = 0;
	}

	/** What is there may last longer than what is known. */
	void live(long until, boolean longer) {
		this.expireAt = longer ? Math.max(this.expireAt, until) : until;
	}

	boolean hasWords() {
		return !this.words.isEmpty();
	}

	/** The words that are still good, without one instance's. */
	List<Word> words(String instance, long now) {
		List<Word> good = new ArrayList<>(this.words);
		good.removeIf((word) -> word.instance.equals(instance) || !word.isGood(now));
		return good;
	}

	void words(List<Word> words) {
		this.words = words;
	}

	/**
	 * Wake the first in line that was not woken since it asked last. It stays, behind the
	 * others.
	 */
	static void wakeNext(List<Word> line, Consumer<String> wake) {
		line.stream().filter((word) -> !word.woken).findFirst().ifPresent((next) -> {
			wake.accept(next.instance);
			line.remove(next);
			line.add(new Word(next.instance, next.until, true));
		});
	}

	/** Whoever is in line keeps the place, with the new deadline of its word. */
	void queue(String instance, long until, long now) {
		int place = -1;
		int good = 0;
		for (Word word : this.words) {
			if (word.instance.equals(instance)) {
				place = good;
			}
			else if (word.isGood(now)) {
				good++;
			}
		}
		if (place >= 0 || good < MOST_WAITING) {
			List<Word> line = words(instance, now);
			line.add((place >= 0) ? place : good, new Word(instance, until, false));
			this.words = line;
		}
	}

	/**
	 * That an instance waits.
	 *
	 * @param instance the instance
	 * @param until how long that is good
	 * @param woken whether it was woken since it said so
	 */
	record Word(String instance, long until, boolean woken) {

		private boolean isGood(long now) {
			return this.until > now && this.until - now <= OLDEST_WORD;
		}

	}

}
