package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.store.RequestId;

/**
 * The hash of one lock as the scripts keep it, with the letters of {@code acquire.lua}
 * written out. Times are milliseconds of the server.
 */
final class SimulationLock {

	private static final int RELEASED_KEPT = 8;

	private static final int ABANDONED_KEPT = 16;

	private static final int MOST_WAITING = 64;

	RequestId owner;

	long token;

	long deadline;

	long longestLease;

	long kept;

	long longestKept;

	/** When Redis drops the hash. */
	long expireAt;

	private final List<RequestId> released = new ArrayList<>(2);

	private final List<RequestId> abandoned = new ArrayList<>(2);

	private final List<Waiting> waiting = new ArrayList<>(2);

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

	boolean isFree(long now) {
		return !isHeld(now) && kept(now) <= now;
	}

	boolean hasEnded(RequestId request) {
		return hasReleased(request) || this.abandoned.contains(request);
	}

	boolean hasReleased(RequestId request) {
		return this.released.contains(request);
	}

	void noteReleased(RequestId request) {
		remember(this.released, request, RELEASED_KEPT);
	}

	void noteAbandoned(RequestId request) {
		if (!this.abandoned.contains(request)) {
			remember(this.abandoned, request, ABANDONED_KEPT);
		}
	}

	/** The owner whose lease ran out makes room for another one. */
	void noteExpired() {
		if (this.owner != null) {
			remember(this.abandoned, this.owner, ABANDONED_KEPT);
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
		this.deadline = 0;
		this.longestLease = 0;
	}

	void keepNoMore() {
		this.kept = 0;
		this.longestKept = 0;
	}

	/** Whoever is in line keeps the place, with the new deadline of its word. */
	void queue(String instance, long until, long now) {
		int place = leave(instance, now);
		if (place >= 0 || this.waiting.size() < MOST_WAITING) {
			this.waiting.add((place >= 0) ? place : this.waiting.size(), new Waiting(instance, until));
		}
	}

	/** Take out an instance and the dead ones; where it stood among the living. */
	int leave(String instance, long now) {
		int place = -1;
		int living = 0;
		for (int i = 0; i < this.waiting.size();) {
			Waiting entry = this.waiting.get(i);
			if (entry.instance.equals(instance)) {
				place = living;
				this.waiting.remove(i);
			}
			else if (entry.until > now) {
				living++;
				i++;
			}
			else {
				this.waiting.remove(i);
			}
		}
		return place;
	}

	/** Take the first whose word is still good. */
	String nextWaiting(long now) {
		while (!this.waiting.isEmpty()) {
			Waiting first = this.waiting.remove(0);
			if (first.until > now) {
				return first.instance;
			}
		}
		return null;
	}

	private record Waiting(String instance, long until) {
	}

}
