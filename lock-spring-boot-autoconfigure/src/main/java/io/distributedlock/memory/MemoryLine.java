package io.distributedlock.memory;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one lock. Every word is good for a time only, so that nobody waits for
 * the dead. Not thread-safe.
 */
final class MemoryLine {

	/** How long readers that have waited come before those who want it for themselves. */
	private static final long PHASE_NANOS = 1_000_000_000;

	/** Instances, and until when their word is good; first come first. */
	private final Map<String, Long> instances = new LinkedHashMap<>(0);

	/** Those of them that were woken since they asked last. */
	private final Set<String> woken = new HashSet<>(0);

	/** Readers, and until when their word is good. */
	private final Map<RequestId, Long> readers = new LinkedHashMap<>(0);

	/** Readers that may come in now although others wait, and until when. */
	private final Map<RequestId, Long> phase = new HashMap<>(0);

	/** Those to be served in order, by ticket: each keeps its place while it looks in. */
	private final Map<RequestId, Long> fair = new LinkedHashMap<>(0);

	void prune(long now) {
		prune(this.instances.values(), now);
		this.woken.retainAll(this.instances.keySet());
		prune(this.readers.values(), now);
		prune(this.phase.values(), now);
		prune(this.fair.values(), now);
	}

	private static void prune(Collection<Long> words, long now) {
		if (!words.isEmpty()) {
			words.removeIf((until) -> until <= now);
		}
	}

	boolean isEmpty() {
		return this.instances.isEmpty() && this.readers.isEmpty() && this.phase.isEmpty() && this.fair.isEmpty();
	}

	/** Leave a word, or renew it in its place. */
	void join(AcquireCommand command, long now) {
		long until = now + command.waiting().toNanos();
		switch (command.mode()) {
			case FAIR -> this.fair.put(command.request(), until);
			case READ -> this.readers.put(command.request(), until);
			default -> join(command.request().instance(), until);
		}
	}

	/** Leave the word of an instance. */
	void join(String instance, long until) {
		this.instances.put(instance, until);
		this.woken.remove(instance);
	}

	/** The request has the lock and waits no more. */
	void served(AcquireCommand command) {
		switch (command.mode()) {
			case FAIR -> this.fair.remove(command.request());
			case READ -> leaveAsReader(command.request());
			default -> leave(command.request().instance());
		}
	}

	/**
	 * The request waits no more; whether it did in its own name, so that the word of its
	 * instance is another's.
	 */
	boolean leave(RequestId request) {
		boolean named = leaveAsReader(request);
		named |= this.fair.remove(request) != null;
		return named;
	}

	/** The instance waits no more. */
	void leave(String instance) {
		this.instances.remove(instance);
		this.woken.remove(instance);
	}

	private boolean leaveAsReader(RequestId request) {
		boolean waited = this.readers.remove(request) != null;
		return this.phase.remove(request) != null || waited;
	}

	/** The request comes in at another time; whether it could have now. */
	boolean leavePhase(RequestId request) {
		return this.phase.remove(request) != null;
	}

	/** Whether somebody waits who wants the lock for itself. */
	boolean hasWriters() {
		return !this.fair.isEmpty() || !this.instances.isEmpty();
	}

	boolean hasReaders() {
		return !this.readers.isEmpty();
	}

	boolean hasPhase() {
		return !this.phase.isEmpty();
	}

	/**
	 * Let all readers in that wait.
	 * @return their instances
	 */
	Set<String> openPhase(long now) {
		Set<String> woken = new LinkedHashSet<>();
		for (RequestId reader : this.readers.keySet()) {
			this.phase.put(reader, now + PHASE_NANOS);
			woken.add(reader.instance());
		}
		this.readers.clear();
		return woken;
	}

	/** Whom a reader must let go first. */
	@Nullable MemoryObstacle beforeReader(RequestId request) {
		if (this.phase.containsKey(request) || !hasWriters()) {
			return null;
		}
		return new MemoryObstacle("", Math.max(latest(this.instances), latest(this.fair)));
	}

	/** Whom one that wants the lock for itself must let go first. */
	@Nullable MemoryObstacle beforeWriter(RequestId request) {
		if (hasPhase()) {
			return new MemoryObstacle("", latest(this.phase));
		}
		RequestId head = nextInOrder();
		Long until = (head != null) ? this.fair.get(head) : null;
		return (until == null || request.equals(head)) ? null : new MemoryObstacle("", until);
	}

	private static long latest(Map<?, Long> words) {
		return words.values().stream().mapToLong(Long::longValue).max().orElse(0);
	}

	/** Whose turn it is of those to be served in order. */
	@Nullable RequestId nextInOrder() {
		return this.fair.isEmpty() ? null : this.fair.keySet().iterator().next();
	}

	/** Whether the instance comes first of those who want it for themselves. */
	boolean isNext(String instance) {
		return this.fair.isEmpty() && instance.equals(nextInstance());
	}

	/** The first instance that was not woken since it asked last. */
	private @Nullable String nextInstance() {
		return this.instances.keySet()
			.stream()
			.filter((instance) -> !this.woken.contains(instance))
			.findFirst()
			.orElse(null);
	}

	/**
	 * The next instance, which is to be woken.
	 * @param stay whether its word stays, so that readers do not overtake it, but behind
	 * those of the others: one that is dead is not woken again and again in their stead
	 */
	@Nullable String wakeNext(boolean stay) {
		String next = nextInstance();
		Long until = (next != null) ? this.instances.remove(next) : null;
		if (next != null && until != null && stay) {
			this.instances.put(next, until);
			this.woken.add(next);
		}
		return next;
	}

}
