package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** The side of a queue that its grants and their leases use. */
interface GrantContext {

	Instance instance();

	List<LockKey> keys();

	LockMode mode();

	/**
	 * Return whether the queue is the line of all exclusive requests for a single key.
	 */
	boolean isPlain();

	/**
	 * Create a grant to contend for; it takes over the place of the one before, if any.
	 */
	Grant newGrant(@Nullable Grant before, LockTerms terms);

	/** The request of a grant is not contended for any more. */
	void abandoned(Grant grant);

	/** The timer of a grant that is contended for has fired. */
	void alarm(Grant grant, long now);

	/** The timer of a held grant has fired. */
	void due(Grant grant, long now);

	/** A grant was lost. Called once for a grant, on the loop. */
	void lost(Grant grant, LossReason reason);

	/**
	 * The release of a grant was answered, or is overdue.
	 * @param failure why the store has not confirmed it, {@code null} if it has
	 */
	void released(Grant grant, @Nullable LockStoreException failure);

	/**
	 * Let a waiter enter the held lock, or a part of it, if its owner has that lock.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	boolean enterPart(Waiter waiter);

	/** Let waiters enter the held lock if their owners may do so by now. */
	void ownersChanged();

	/**
	 * End the turn of this instance, since the owner of a grant will read the lock as
	 * well, beside its request. From here on the request is not handed on.
	 * @return false if the grant does not hold the lock any more
	 */
	boolean readsInside(Grant writer);

	/** Return whether callers of this instance wait for the end of the held grant. */
	boolean isAwaited();

	/** The owner of a grant is about to be forgotten. */
	void disowned(Grant grant);

	/**
	 * Release a grant whose last lease was closed, or hand its lock on to a waiter.
	 * @return completes when the store has answered, or at the time-out
	 */
	CompletableFuture<Void> release(Grant grant);

	/**
	 * Have the store confirm a grant that is in doubt.
	 * @return completes when the store has answered, or at the time-out
	 */
	CompletableFuture<Void> confirm(Grant grant);

	/**
	 * Set the lease of a grant anew.
	 * @param keepFor the time for which the lock is kept from now on; {@code null} as
	 * before
	 * @return completes with the failure of the store, or with {@code null} if the store
	 * has confirmed it or the lock is not held any more
	 */
	CompletableFuture<@Nullable LockStoreException> extend(Grant grant, Duration ttl, @Nullable Duration keepFor);

	/**
	 * Wake up waiters for the same keys whose waiter entry the end of a request may have
	 * removed.
	 * @param late {@code true} if the store may have freed the lock only now
	 */
	void wakeUpLines(boolean late);

}
