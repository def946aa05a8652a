package io.distributedlock.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;
import io.distributedlock.LockStoreException;

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
	 * Read the holders of a lock and the number of waiters. Changes nothing. Holders have
	 * no {@linkplain io.distributedlock.LockInspection.Holder#instanceName() instance
	 * names} here.
	 * @param key the lock
	 * @return the state of the lock
	 */
	CompletableFuture<LockInspection> inspect(LockKey key);

	/**
	 * End the requests that hold a lock, for an operator: neither a renewal nor a
	 * repeated acquire brings them back, and their release reports the loss. Then the
	 * next waiters are woken, or have the lock, as after a release. The instances of the
	 * ended requests are {@linkplain WakeUpListener#revoked notified} if the store has
	 * wake-ups and the instance listens. Works also while the store is out of memory.
	 * @param command the lock, and the request to end or all
	 * @return how many requests were ended, or 1 if the lock was only kept; a store may
	 * stop at 1,000
	 */
	CompletableFuture<Integer> forceRelease(ForceReleaseCommand command);

	/**
	 * Set the number of permits of a semaphore for all requests: it counts before theirs,
	 * and is kept until it is removed or the lock is lost. A smaller number ends no
	 * lease; a larger one wakes waiters. Fails with a
	 * {@link io.distributedlock.LockStoreException} of kind {@code MISCONFIGURED} if the
	 * lock is in use and no semaphore, as it does by default for a store without
	 * {@link StoreCapability#SEVERAL_PERMITS}.
	 * @param key the lock
	 * @param permits the number, or zero to let that of the requests count again
	 * @return completes when it is set
	 */
	default CompletableFuture<Void> setPermits(LockKey key, int permits) {
		return CompletableFuture.failedFuture(new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
				"%s keeps no number of permits for '%s'".formatted(getClass().getName(), key), null));
	}

	/**
	 * Store the name of an instance. Does nothing by default.
	 * @param instance the {@linkplain RequestId#instance() instance}
	 * @param name the name, at most 200 characters
	 * @param lifetime how long to remember it
	 * @return completes when it is stored
	 */
	default CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		return CompletableFuture.completedFuture("");
	}

	/**
	 * The name of an instance, as it was {@linkplain #announce announced}.
	 * @param instance the instance
	 * @return the name, empty if there is none
	 */
	default CompletableFuture<String> nameOf(String instance) {
		return CompletableFuture.completedFuture("");
	}

	/**
	 * Ask the servers of the store how they do, each by one command. Neither throws nor
	 * fails because of a server: a server that does not answer in time is in the result
	 * as well.
	 * @return the servers; none by default, for a store that has no servers. A store with
	 * servers overrides this: without it health stays up in an outage
	 */
	default CompletableFuture<List<StoreNode>> nodes() {
		return CompletableFuture.completedFuture(List.of());
	}

	/**
	 * Return whether locks can be acquired while some servers do not answer.
	 * @param nodes the result of {@link #nodes()}
	 * @return by default {@code true} if all servers have given a usable answer
	 */
	default boolean worksWith(List<StoreNode> nodes) {
		return nodes.stream().allMatch((node) -> node.failure() == null);
	}

	/**
	 * The time since the last answer of each node, or since the store was created if the
	 * node never answered. Answers from memory and at once.
	 * @return the time by the name of the node; empty if it is not known
	 */
	default Map<String, Duration> sinceLastAnswer() {
		return Map.of();
	}

}
