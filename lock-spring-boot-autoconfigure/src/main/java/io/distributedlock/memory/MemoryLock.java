package io.distributedlock.memory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One lock. Not thread-safe. Deadlines of released and abandoned requests are kept apart,
 * so that quick releases do not push out an abandoned request that may still arrive.
 */
final class MemoryLock {

	private static final int RELEASED_KEPT = 8;

	private static final int ABANDONED_KEPT = 16;

	/** When nothing of this lock needs to be known any more. */
	long forgetAt;

	private @Nullable RequestId owner;

	private long token;

	private long deadline;

	private long keptUntil;

	private @Nullable RequestId keeper;

	private final ArrayDeque<RequestId> released = new ArrayDeque<>(2);

	private final ArrayDeque<RequestId> abandoned = new ArrayDeque<>(0);

	/** Instances that wait, and until when their word is good; first come first. */
	private final Map<String, Long> waiting = new LinkedHashMap<>(0);

	/** What a request is to this lock. */
	Standing standing(RequestId request, long now) {
		if (request.equals(this.owner) && this.deadline > now) {
			return Standing.OWNER;
		}
		expire(now);
		if (this.released.contains(request) || this.abandoned.contains(request)) {
			return Standing.ENDED;
		}
		return (busyUntil(now) > now) ? Standing.LATE : Standing.FIRST;
	}

	/** Repeat what made the request the owner. */
	void lengthen(AcquireCommand command, long now) {
		this.deadline = Math.max(this.deadline, now + command.ttl().toNanos());
	}

	void take(AcquireCommand command, long token, long now) {
		this.owner = command.request();
		this.token = token;
		this.deadline = now + command.ttl().toNanos();
		this.keptUntil = now + command.keepFor().toNanos();
		this.keeper = command.request();
		this.waiting.remove(command.request().instance());
	}

	/**
	 * Leave the word that an instance waits, if it does, and say for whom and how long.
	 */
	AcquireOutcome.Busy queue(AcquireCommand command, int index, long now) {
		if (!command.waiting().isZero()) {
			this.waiting.put(command.request().instance(), now + command.waiting().toNanos());
		}
		return new AcquireOutcome.Busy((this.owner != null) ? this.owner.instance() : "",
				Duration.ofNanos(busyUntil(now) - now), index);
	}

	/** The last token. */
	long token() {
		return this.token;
	}

	/** The next token will be larger than this. */
	void raise(long least) {
		this.token = Math.max(this.token, least);
	}

	boolean renew(RenewCommand command, long now) {
		if (!command.request().equals(this.owner) || this.deadline <= now) {
			return false;
		}
		this.deadline = Math.max(this.deadline, now + command.ttl().toNanos());
		return true;
	}

	boolean end(RequestId request, boolean abandon, long now) {
		boolean held = request.equals(this.owner);
		boolean owner = held ? this.deadline > now : this.released.contains(request);
		if (held) {
			this.owner = null;
			this.deadline = now;
		}
		if (held && !abandon) {
			remember(this.released, request, RELEASED_KEPT);
		}
		if (abandon) {
			remember(this.abandoned, request, ABANDONED_KEPT);
			this.waiting.remove(request.instance());
			if (request.equals(this.keeper)) {
				this.keptUntil = now;
			}
		}
		return owner;
	}

	/** An owner whose lease has run out never comes back. */
	private void expire(long now) {
		if (this.owner != null && this.deadline <= now) {
			remember(this.abandoned, this.owner, ABANDONED_KEPT);
			this.owner = null;
		}
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

	long busyUntil(long now) {
		return Math.max((this.owner != null) ? this.deadline : now, this.keptUntil);
	}

	/** Take the next instance that still waits. */
	@Nullable String nextWaiting(long now) {
		Iterator<Map.Entry<String, Long>> entries = this.waiting.entrySet().iterator();
		while (entries.hasNext()) {
			Map.Entry<String, Long> entry = entries.next();
			entries.remove();
			if (entry.getValue() > now) {
				return entry.getKey();
			}
		}
		return null;
	}

	/** What a request can be to a lock. */
	enum Standing {

		/** It holds the lock. */
		OWNER,

		/** It has held the lock, or was abandoned before it could. */
		ENDED,

		/** Another one holds the lock, or it is kept. */
		LATE,

		/** Nobody holds the lock. */
		FIRST

	}

}
