package io.distributedlock.memory;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Those that hold one lock together: readers, or the permits of a semaphore, each with a
 * lease of its own. Not thread-safe.
 */
final class MemoryHolders {

	private final Map<RequestId, Holder> holders = new LinkedHashMap<>(0);

	/** Take out those whose leases have run out; they never come back. */
	void prune(long now, MemoryEnded ended) {
		Iterator<Map.Entry<RequestId, Holder>> entries = this.holders.entrySet().iterator();
		while (entries.hasNext()) {
			Map.Entry<RequestId, Holder> entry = entries.next();
			if (entry.getValue().deadline <= now) {
				ended.addAbandoned(entry.getKey());
				entries.remove();
			}
		}
	}

	void add(RequestId request, long deadline, long token) {
		this.holders.put(request, new Holder(deadline, token, null));
	}

	boolean has(RequestId request) {
		return this.holders.containsKey(request);
	}

	boolean lengthen(RequestId request, long deadline) {
		return this.holders.computeIfPresent(request,
				(same, holder) -> new Holder(Math.max(holder.deadline, deadline), holder.token, holder.mark)) != null;
	}

	void raise(RequestId request, long token) {
		this.holders.computeIfPresent(request,
				(same, holder) -> new Holder(holder.deadline, Math.max(holder.token, token), holder.mark));
	}

	boolean mark(RequestId request, @Nullable String newest) {
		return this.holders.computeIfPresent(request,
				(same, holder) -> new Holder(holder.deadline, holder.token, newest)) != null;
	}

	/** That of its last renewal. */
	@Nullable String mark(RequestId request) {
		Holder holder = this.holders.get(request);
		return (holder != null) ? holder.mark : null;
	}

	boolean remove(RequestId request) {
		return this.holders.remove(request) != null;
	}

	int count() {
		return this.holders.size();
	}

	boolean isEmpty() {
		return this.holders.isEmpty();
	}

	/** What was given to a holder. */
	long token(RequestId request) {
		Holder holder = this.holders.get(request);
		return (holder != null) ? holder.token : 0;
	}

	/** The last moment at which any of them may hold it, or zero. */
	long lastDeadline() {
		MemoryObstacle last = last();
		return (last != null) ? last.until() : 0;
	}

	/** Whose lease ends last. */
	@Nullable MemoryObstacle last() {
		return outermost(true);
	}

	/** Whose lease ends first. */
	@Nullable MemoryObstacle first() {
		return outermost(false);
	}

	private @Nullable MemoryObstacle outermost(boolean last) {
		MemoryObstacle found = null;
		for (Map.Entry<RequestId, Holder> entry : this.holders.entrySet()) {
			long deadline = entry.getValue().deadline;
			if (found == null || (last ? deadline > found.until() : deadline < found.until())) {
				found = new MemoryObstacle(entry.getKey().instance(), deadline);
			}
		}
		return found;
	}

	/**
	 * One of them.
	 *
	 * @param deadline the end of its lease
	 * @param token what it was given
	 * @param mark that of its last renewal
	 */
	private record Holder(long deadline, long token, @Nullable String mark) {
	}

}
