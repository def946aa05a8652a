package io.distributedlock.memory;

import java.util.ArrayDeque;

import io.distributedlock.store.RequestId;

/**
 * The requests that have ended and may not come back. Those that were released are kept
 * apart from the others, so that quick releases do not push out an abandoned request that
 * may still arrive; and those of readers and permits apart from those of single holders,
 * because there are more of them. Not thread-safe.
 */
final class MemoryEnded {

	private static final int RELEASED_KEPT = 8;

	private static final int SHARED_RELEASED_KEPT = 128;

	private static final int ABANDONED_KEPT = 64;

	private final ArrayDeque<RequestId> released = new ArrayDeque<>(2);

	private final ArrayDeque<RequestId> sharedReleased = new ArrayDeque<>(0);

	private final ArrayDeque<RequestId> abandoned = new ArrayDeque<>(0);

	boolean has(RequestId request) {
		return hasReleased(request) || this.abandoned.contains(request);
	}

	boolean hasReleased(RequestId request) {
		return this.released.contains(request) || this.sharedReleased.contains(request);
	}

	void addReleased(RequestId request) {
		remember(this.released, request, RELEASED_KEPT);
	}

	void addSharedReleased(RequestId request) {
		remember(this.sharedReleased, request, SHARED_RELEASED_KEPT);
	}

	/** It was abandoned, or its lease has run out. */
	void addAbandoned(RequestId request) {
		remember(this.abandoned, request, ABANDONED_KEPT);
	}

	/** Once, or a request that is ended again and again pushes the others out. */
	private static void remember(ArrayDeque<RequestId> requests, RequestId request, int most) {
		if (requests.contains(request)) {
			return;
		}
		requests.addFirst(request);
		if (requests.size() > most) {
			requests.removeLast();
		}
	}

}
