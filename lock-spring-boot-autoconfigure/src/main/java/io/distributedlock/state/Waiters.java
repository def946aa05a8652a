package io.distributedlock.state;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for a lock, and which of them comes first. Not thread-safe.
 */
final class Waiters {

	/** How long readers that have waited come before the next exclusive request. */
	private static final long PHASE = 1_000;

	/** Where exclusive requests and those for permits wait. */
	final WaitingInstances instances = new WaitingInstances();

	final Map<RequestId, Entry> readers = new HashMap<>(0);

	/** Readers that may take the lock before the next exclusive request. */
	final Map<RequestId, Entry> admitted = new HashMap<>(0);

	final Map<RequestId, Entry> fair = new HashMap<>(0);

	long lastTicket;

	/** Whether a request waits in its own name, or is admitted. */
	boolean haveNames() {
		return !this.readers.isEmpty() || !this.admitted.isEmpty() || !this.fair.isEmpty();
	}

	boolean last(long now) {
		return this.instances.isLasting(now) || Entry.anyLasts(this.readers, now) || Entry.anyLasts(this.admitted, now)
				|| Entry.anyLasts(this.fair, now);
	}

	/** Those with names whose time is over go. */
	void prune(long now) {
		Entry.prune(this.readers, now);
		Entry.prune(this.admitted, now);
		Entry.prune(this.fair, now);
	}

	static boolean waitsAsInstance(AcquireCommand command) {
		return command.mode() == LockMode.EXCLUSIVE || command.mode() == LockMode.SEMAPHORE;
	}

	/**
	 * A request waits from now on.
	 * @param inPlace whether a fair one keeps its place
	 */
	void add(AcquireCommand command, boolean inPlace, long now) {
		RequestId request = command.request();
		long waiting = Lifetime.millis(command.waiting());
		Entry place = this.fair.get(request);
		Entry entry = new Entry(request, Lifetime.of(waiting, now), 0);
		if (waitsAsInstance(command)) {
			this.instances.join(request.instance(), now + waiting, now);
		}
		else if (command.mode() == LockMode.READ) {
			this.readers.put(request, entry);
		}
		else {
			this.fair.put(request, entry.with((inPlace && place != null) ? place.number() : ++this.lastTicket));
		}
	}

	/** A fair request waits before all others. */
	void addFirst(RequestId request, long waiting, long now) {
		Entry head = head();
		long ticket = ((head != null) ? head.number() : 1) - 1;
		this.fair.put(request, new Entry(request, Lifetime.of(waiting, now), ticket));
	}

	/** The request waits no more; whether it did in its own name. */
	boolean remove(RequestId request) {
		boolean waited = this.readers.remove(request) != null;
		waited |= this.admitted.remove(request) != null;
		return this.fair.remove(request) != null || waited;
	}

	/** Whether a fair request has kept its place in line. */
	boolean hasPlace(RequestId request, long now) {
		Entry place = this.fair.get(request);
		return place != null && place.lasts(now);
	}

	/** Whose turn it is of the fair ones. */
	@Nullable Entry head() {
		return this.fair.values().stream().min(Comparator.comparingLong(Entry::number)).orElse(null);
	}

	/** What a reader must not overtake. */
	@Nullable Obstacle beforeReader(RequestId request, long now) {
		long last = Math.max(end(this.fair), this.instances.end(now));
		return (last == 0 || this.admitted.containsKey(request)) ? null : new Obstacle("", last);
	}

	/** What an exclusive request must not overtake. */
	@Nullable Obstacle beforeWriter(RequestId request) {
		if (!this.admitted.isEmpty()) {
			return new Obstacle("", end(this.admitted));
		}
		Entry head = head();
		return (head == null || head.request().equals(request)) ? null : new Obstacle("", head.lifetime().deadline());
	}

	private static long end(Map<RequestId, Entry> entries) {
		return entries.values().stream().mapToLong((entry) -> entry.lifetime().deadline()).max().orElse(0);
	}

	/** Whether it is the turn of readers, once the lock can be had. */
	boolean areReadersNext(boolean fromWriter) {
		return !this.readers.isEmpty() && (fromWriter || (this.fair.isEmpty() && this.instances.isEmpty()));
	}

	/**
	 * All readers that wait may take the lock now.
	 * @return their instances in order, each once
	 */
	List<String> admitReaders(long now) {
		List<String> woken = this.readers.keySet().stream().map(RequestId::instance).distinct().sorted().toList();
		this.readers.keySet()
			.forEach((reader) -> this.admitted.put(reader, new Entry(reader, Lifetime.of(PHASE, now), 0)));
		this.readers.clear();
		return woken;
	}

}
