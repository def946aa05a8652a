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
 * When each node of a cluster has answered last. Which node that was is looked up for one
 * answer in a while only: for one of each group of keys. Thread-safe.
 */
final class LastAnswers {

	/** Answers that follow another one sooner are not noted. */
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

	/** Whether an answer for a key is to be noted. */
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

	/** How long ago these have answered, or how long this is there. */
	Map<String, Duration> since(Stream<String> nodes) {
		return nodes.collect(Collectors.toMap(Function.identity(), (node) -> Duration
			.ofNanos(Math.max(0, System.nanoTime() - this.answeredAt.getOrDefault(node, this.begun)))));
	}

}
