package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

import io.distributedlock.store.RequestId;

/**
 * What a script knows of those who share a lock or stand in line with names of their own,
 * once it has looked through the hash, and what it will write about them.
 */
final class SimulationShare {

	static final long LOOK_EVERY = 10_000;

	private static final long PHASE = 1_000;

	private static final Comparator<SimulationEntry> BY_END = Comparator.comparingLong(SimulationEntry::deadline);

	private static final Comparator<SimulationEntry> BY_ID = Comparator
		.comparing((SimulationEntry entry) -> entry.request().toString());

	private final SimulationLock lock;

	private final long now;

	private boolean looked;

	final Map<RequestId, SimulationEntry> readers = new HashMap<>(2);

	final Map<RequestId, SimulationEntry> waitingReaders = new HashMap<>(2);

	final Map<RequestId, SimulationEntry> letIn = new HashMap<>(2);

	final Map<RequestId, SimulationEntry> fair = new HashMap<>(2);

	private final List<RequestId> expired = new ArrayList<>(2);

	private Collection<SimulationEntry> woken;

	SimulationShare(SimulationLock lock, long now) {
		this.lock = lock;
		this.now = now;
	}

	void scan() {
		this.looked = true;
		copy(this.lock.readers, this.readers);
		copy(this.lock.waitingReaders, this.waitingReaders);
		copy(this.lock.letIn, this.letIn);
		copy(this.lock.fair, this.fair);
		this.lock.readers.keySet()
			.stream()
			.filter((request) -> !this.readers.containsKey(request))
			.sorted(Comparator.comparing(RequestId::toString))
			.forEach(this.expired::add);
	}

	private void copy(Map<RequestId, SimulationEntry> from, Map<RequestId, SimulationEntry> to) {
		from.forEach((request, entry) -> {
			SimulationEntry clamped = entry.at(this.now);
			if (clamped.deadline() > this.now) {
				to.put(request, clamped);
			}
		});
	}

	boolean isEmpty() {
		return this.readers.isEmpty() && !isWaitedFor();
	}

	private boolean isWaitedFor() {
		return !this.waitingReaders.isEmpty() || !this.letIn.isEmpty() || !this.fair.isEmpty();
	}

	void letReadersIn() {
		this.woken = new ArrayList<>(this.waitingReaders.values());
		this.waitingReaders.clear();
		for (SimulationEntry reader : this.woken) {
			this.letIn.put(reader.request(), new SimulationEntry(reader.request(), this.now + PHASE, PHASE, 0));
		}
	}

	boolean hasLetReadersIn() {
		return this.woken != null;
	}

	/** The instances of those that were let in. */
	SortedSet<String> woken() {
		SortedSet<String> instances = new TreeSet<>();
		if (this.woken != null) {
			this.woken.forEach((reader) -> instances.add(reader.request().instance()));
		}
		return instances;
	}

	/** Whose turn it is of those to be served in order, or {@code null}. */
	SimulationEntry head() {
		return this.fair.values().stream().min(Comparator.comparingLong(SimulationEntry::more)).orElse(null);
	}

	static SimulationEntry first(Map<RequestId, SimulationEntry> entries) {
		return entries.values().stream().min(BY_END.thenComparing(BY_ID)).orElse(null);
	}

	static SimulationEntry last(Map<RequestId, SimulationEntry> entries) {
		return entries.values().stream().min(BY_END.reversed().thenComparing(BY_ID)).orElse(null);
	}

	static long latest(Map<RequestId, SimulationEntry> entries) {
		SimulationEntry last = last(entries);
		return (last != null) ? last.deadline() : 0;
	}

	void leave(RequestId request) {
		this.waitingReaders.remove(request);
		this.letIn.remove(request);
		this.fair.remove(request);
	}

	/** The owner that has not released it never comes back. */
	void forgetOwner() {
		if (this.lock.owner != null) {
			this.expired.add(0, this.lock.owner);
		}
		this.lock.disown();
		this.lock.keepNoMore();
	}

	void note() {
		if (this.looked) {
			this.lock.readers.clear();
			this.lock.waitingReaders.clear();
			this.lock.letIn.clear();
			this.lock.fair.clear();
		}
		this.lock.readers.putAll(this.readers);
		this.lock.waitingReaders.putAll(this.waitingReaders);
		this.lock.letIn.putAll(this.letIn);
		this.lock.fair.putAll(this.fair);
		if (this.looked || (!this.readers.isEmpty() && this.lock.lookAt == 0)) {
			this.lock.lookAt = this.readers.isEmpty() ? 0 : this.now + LOOK_EVERY;
		}
		if (this.looked || isWaitedFor()) {
			this.lock.queued = isWaitedFor();
		}
		this.lock.noteExpired(this.expired);
		this.expired.clear();
	}

}
