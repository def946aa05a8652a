package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Confirmation by replicas that an answer of a script needs.
 *
 * @param replicas the number of replicas
 * @param timeout the time that they have
 * @param patience the time-out of a command
 * @param granted accepts answers that have to be confirmed
 * @param missing makes the failure if only so many replicas have confirmed
 */
public record Acknowledgement(int replicas, Duration timeout, Duration patience, Predicate<Object> granted,
		IntFunction<RuntimeException> missing) {
}
