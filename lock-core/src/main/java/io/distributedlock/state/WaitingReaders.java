package io.distributedlock.state;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.distributedlock.store.RequestId;

/**
 * The readers that wait for a lock, and those of them that are admitted: these may take
 * it before the next exclusive request, for a moment. Not thread-safe.
 */
final class WaitingReaders {

	/** How long readers that are admitted come before the next exclusive request. */
	static final long PHASE = 1_000;

	private final Map<RequestId, Entry> entries = new HashMap<>(0);

	/** In the order in which the entries expire. */
	private final TreeSet<Entry> byEnd = new TreeSet<>(
			Comparator.comparingLong(Entry::until).thenComparing(Entry::request, Entry.BY_ID));

	/**
	 * The instances that had an entry since readers were admitted or none waited, the
	 * first one first.
	 */
	final Set<String> wakes = new LinkedHashSet<>(0);

	final Set<RequestId> admitted = new HashSet<>(0);

	/** How long the admitted ones come first. */
	Lifetime phase = Lifetime.NONE;

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	Collection<Entry> entries() {
		return this.byEnd;
	}

	void add(Entry entry) {
		leave(entry.request());
		put(entry);
		this.wakes.add(entry.request().instance());
	}

	void put(Entry entry) {
		this.entries.put(entry.request(), entry);
		this.byEnd.add(entry);
	}

	/** The request waits no more; whether it did, or was admitted. */
	boolean remove(RequestId request) {
		boolean waited = leave(request);
		return this.admitted.remove(request) || waited;
	}

	private boolean leave(RequestId request) {
		Entry entry = this.entries.remove(request);
		return entry != null && this.byEnd.remove(entry);
	}

	/**
	 * All readers that wait may take the lock now.
	 * @return the instances to wake
	 */
	List<String> admit(long now) {
		this.admitted.addAll(this.entries.keySet());
		this.phase = Lifetime.of(PHASE, now);
		this.entries.clear();
		this.byEnd.clear();
		List<String> woken = List.copyOf(this.wakes);
		this.wakes.clear();
		return woken;
	}

	/** Remove expired entries, and the admitted readers after their phase. */
	void prune(long now) {
		while (!this.byEnd.isEmpty() && !this.byEnd.first().lasts(now)) {
			leave(this.byEnd.first().request());
		}
		while (!this.byEnd.isEmpty() && !this.byEnd.last().lasts(now)) {
			leave(this.byEnd.last().request());
		}
		if (isEmpty()) {
			this.wakes.clear();
		}
		this.phase = this.phase.at(now);
		if (!this.phase.lasts(now)) {
			this.admitted.clear();
		}
	}

}
