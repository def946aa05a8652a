package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * What replicas have to confirm before the answer of a script counts.
 *
 * @param replicas how many replicas
 * @param timeout how long they may take
 * @param patience how long a command may go unanswered
 * @param granted which answers have to be confirmed
 * @param missing makes the failure where only so many replicas have confirmed
 */
public record Acknowledgement(int replicas, Duration timeout, Duration patience, Predicate<Object> granted,
		IntFunction<RuntimeException> missing) {
}
