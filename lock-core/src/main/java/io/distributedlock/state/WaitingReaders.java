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
 * The readers that wait for a lock, and the admitted ones. Admitted readers may take it
 * before the next exclusive request, during a short phase. Not thread-safe.
 */
final class WaitingReaders {

	/** Length of the phase of admitted readers, in milliseconds. */
	static final long PHASE = 1_000;

	private final Map<RequestId, Entry> entries = new HashMap<>(0);

	/** The entries in the order of their expiry. */
	private final TreeSet<Entry> byEnd = new TreeSet<>(
			Comparator.comparingLong(Entry::until).thenComparing(Entry::request, Entry.BY_ID));

	/**
	 * The instances to wake, in the order of their first entry. Cleared when readers are
	 * admitted or none waits.
	 */
	final Set<String> wakes = new LinkedHashSet<>(0);

	final Set<RequestId> admitted = new HashSet<>(0);

	/** Time for which admitted readers come before the next exclusive request. */
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

	/** Remove a request; return whether it waited or was admitted. */
	boolean remove(RequestId request) {
		boolean waited = leave(request);
		return this.admitted.remove(request) || waited;
	}

	private boolean leave(RequestId request) {
		Entry entry = this.entries.remove(request);
		return entry != null && this.byEnd.remove(entry);
	}

	/**
	 * Admit all readers that wait: they may take the lock now.
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
