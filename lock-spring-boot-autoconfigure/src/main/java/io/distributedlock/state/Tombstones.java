package io.distributedlock.state;

import java.util.ArrayDeque;
import java.util.Deque;

import io.distributedlock.store.RequestId;

/**
 * The requests that have ended and may not come back. Those that were released are kept
 * apart from the others, so that quick releases do not push out an abandoned request that
 * may still arrive; and those of readers and permits apart from those of single holders,
 * because there are more of them. Not thread-safe.
 */
final class Tombstones {

	private static final int RELEASED_KEPT = 8;

	private static final int SHARED_RELEASED_KEPT = 128;

	private static final int ABANDONED_KEPT = 64;

	final Deque<RequestId> released = new ArrayDeque<>(2);

	final Deque<RequestId> sharedReleased = new ArrayDeque<>(0);

	final Deque<RequestId> abandoned = new ArrayDeque<>(0);

	boolean has(RequestId request) {
		return hasReleased(request) || hasAbandoned(request);
	}

	boolean hasReleased(RequestId request) {
		return this.released.contains(request) || this.sharedReleased.contains(request);
	}

	boolean hasAbandoned(RequestId request) {
		return this.abandoned.contains(request);
	}

	void addReleased(RequestId request) {
		add(this.released, request, RELEASED_KEPT);
	}

	void addSharedReleased(RequestId request) {
		add(this.sharedReleased, request, SHARED_RELEASED_KEPT);
	}

	/** Once, or a request that is abandoned again and again pushes the others out. */
	void addAbandoned(RequestId request) {
		if (!hasAbandoned(request)) {
			addExpired(request);
		}
	}

	/** Its lease has run out. */
	void addExpired(RequestId request) {
		add(this.abandoned, request, ABANDONED_KEPT);
	}

	private static void add(Deque<RequestId> requests, RequestId request, int most) {
		requests.addFirst(request);
		if (requests.size() > most) {
			requests.removeLast();
		}
	}

}
