package io.distributedlock.history;

import java.util.List;
import java.util.Map;

/**
 * The state after all clients have let go and the longest lease has passed.
 *
 * @param keys the keys that the store still has
 * @param before the counts before the run
 * @param after the counts now
 * @param registers the values of the fenced registers, by lock
 */
public record Quiescence(List<ServerKey> keys, Counts before, Counts after, Map<String, Long> registers) {

	/**
	 * A key of the store, looked at twice, a lease apart.
	 *
	 * @param name the key in the store
	 * @param type its type, such as {@code hash}
	 * @param owned whether it names an owner
	 * @param ttlMillis how long it lives, or a negative number if for ever
	 * @param laterTtlMillis how long it lives a lease later, zero if it is gone
	 * @param longestTtlMillis how long it may live
	 */
	public record ServerKey(String name, String type, boolean owned, long ttlMillis, long laterTtlMillis,
			long longestTtlMillis) {
	}

	/**
	 * The numbers that must be as before the run.
	 *
	 * @param channels channels and patterns with subscribers
	 * @param clients connections to the store
	 * @param threads threads of the clients' processes
	 * @param renewed leases that are watched for renewal
	 */
	public record Counts(int channels, int clients, int threads, int renewed) {
	}

}
