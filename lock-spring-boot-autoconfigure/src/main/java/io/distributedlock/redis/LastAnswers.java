package io.distributedlock.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** When each node of a cluster has answered last. Thread-safe. */
final class LastAnswers {

	private final long begun = System.nanoTime();

	private final ConcurrentHashMap<String, Long> answeredAt = new ConcurrentHashMap<>();

	void answered(String node) {
		this.answeredAt.put(node, System.nanoTime());
	}

	/** How long ago these have answered, or how long this is there. */
	Map<String, Duration> since(Stream<String> nodes) {
		return nodes.collect(Collectors.toMap(Function.identity(), (node) -> Duration
			.ofNanos(Math.max(0, System.nanoTime() - this.answeredAt.getOrDefault(node, this.begun)))));
	}

}
