package io.distributedlock.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;

/**
 * Shows the locks and the servers of a {@link LockStore} to people and monitoring, and
 * takes locks away for them. The engine takes, renews and releases locks without it. As
 * with the commands of the store, no method blocks, and futures fail with a
 * {@link io.distributedlock.LockStoreException}. Thread-safe.
 *
 * @since 0.1.0
 */
public interface StoreMonitor {

	/**
	 * Look who has a lock and how many wait for it. Changes nothing. Holders have no
	 * {@linkplain io.distributedlock.LockInspection.Holder#instanceName() instance names}
	 * here.
	 * @param key the lock
	 * @return what is known of it
	 */
	CompletableFuture<LockInspection> inspect(LockKey key);

	/**
	 * End the requests that hold a lock, for an operator: neither a renewal nor a
	 * repeated acquire brings them back, and their release reports the loss. Then the
	 * waiters that are next are woken, or have the lock, as after a release. Their
	 * instances are {@linkplain WakeUpListener#revoked told} where the store has wake-ups
	 * and the instance listens. Works also where the store is out of memory.
	 * @param command the lock, and whom to take it from
	 * @return how many requests were ended, or 1 if the lock was only kept; a store may
	 * stop at 1,000
	 */
	CompletableFuture<Integer> forceRelease(ForceReleaseCommand command);

	/**
	 * Note what an instance calls itself. Does nothing by default.
	 * @param instance the {@linkplain RequestId#instance() instance}
	 * @param name the name, at most 200 characters
	 * @param lifetime how long to remember that
	 * @return completes when it is noted
	 */
	default CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		return CompletableFuture.completedFuture("");
	}

	/**
	 * What an instance calls itself, as it was {@linkplain #announce announced}.
	 * @param instance the instance
	 * @return the name, empty if there is none
	 */
	default CompletableFuture<String> nameOf(String instance) {
		return CompletableFuture.completedFuture("");
	}

	/**
	 * Ask the servers of the store how they do, each by one command. Neither throws nor
	 * fails because of a server: that it does not answer in time is an answer as well.
	 * @return the servers; none by default, for a store that has no servers
	 */
	default CompletableFuture<List<StoreNode>> nodes() {
		return CompletableFuture.completedFuture(List.of());
	}

	/**
	 * Whether locks can be had while some servers do not answer.
	 * @param nodes what {@link #nodes()} has answered
	 * @return by default whether all have given a usable answer
	 */
	default boolean worksWith(List<StoreNode> nodes) {
		return nodes.stream().allMatch((node) -> node.failure() == null);
	}

	/**
	 * How long ago each node has answered last, or how long the store is there if the
	 * node never has. From memory and at once.
	 * @return the time by the name of the node; empty if it is not known
	 */
	default Map<String, Duration> sinceLastAnswer() {
		return Map.of();
	}

}
