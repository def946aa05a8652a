package io.distributedlock.redis;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Times of the last answers of a cluster's nodes. The node of an answer is looked up only
 * once per {@link #PAUSE_NANOS} and group of keys. Thread-safe.
 */
final class LastAnswers {

	/** Time after a noted answer in which others of its group are not noted. */
	static final long PAUSE_NANOS = 100_000_000;

	private static final int GROUPS = 256;

	private final long begun = System.nanoTime();

	private final AtomicLongArray noted = new AtomicLongArray(GROUPS);

	private final ConcurrentHashMap<String, Long> answeredAt = new ConcurrentHashMap<>();

	LastAnswers() {
		for (int group = 0; group < GROUPS; group++) {
			this.noted.set(group, this.begun - 2 * PAUSE_NANOS);
		}
	}

	/** Return whether to note an answer for a key; if so, a new pause begins. */
	boolean isDue(int hash, long now) {
		int group = (hash ^ hash >>> 8 ^ hash >>> 16) & (GROUPS - 1);
		boolean due = now - this.noted.get(group) > PAUSE_NANOS;
		if (due) {
			this.noted.set(group, now);
		}
		return due;
	}

	void answered(String node, long now) {
		this.answeredAt.put(node, now);
	}

	/** Forget all other nodes. */
	void retain(Set<String> nodes) {
		this.answeredAt.keySet().retainAll(nodes);
	}

	/** Return the time since each node has answered, or since this was created. */
	Map<String, Duration> since(Stream<String> nodes) {
		return nodes.collect(Collectors.toMap(Function.identity(), (node) -> Duration
			.ofNanos(Math.max(0, System.nanoTime() - this.answeredAt.getOrDefault(node, this.begun)))));
	}

}
