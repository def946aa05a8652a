package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** What a grant and its leases need of the queue that they belong to. */
interface GrantContext {

	Instance instance();

	List<LockKey> keys();

	LockMode mode();

	/** Whether the queue is the line of all exclusive requests for a single key. */
	boolean isPlain();

	/** A new grant to contend for, in the place of another one if there was one. */
	Grant newGrant(@Nullable Grant before, LockTerms terms);

	/** A request is not contended for any more. */
	void abandoned(Grant grant);

	/** The timer of a grant has fired that is contended for. */
	void alarm(Grant grant, long now);

	/** The timer of a held grant has fired. */
	void due(Grant grant, long now);

	/** A grant was lost. Called once for a grant, on the loop. */
	void lost(Grant grant, LossReason reason);

	/**
	 * The release of a grant was answered, or was not in time.
	 * @param failure why it is not known to the store, {@code null} if it is
	 */
	void released(Grant grant, @Nullable LockStoreException failure);

	/**
	 * Enter a lock that is part of what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterPart(Waiter waiter);

	/** Let the waiters in whose owners enter by now what is held here. */
	void ownersChanged();

	/**
	 * The owner of a grant is to read the lock as well, beside its request. From here on
	 * no other caller goes on with that.
	 * @return false if the grant does not hold the lock any more
	 */
	boolean readsInside(Grant writer);

	/** Whether callers of this instance wait for the end of what is held here. */
	boolean isAwaited();

	/** A grant is about to have no owner any more. */
	void disowned(Grant grant);

	/**
	 * Release a grant whose last lease was closed.
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> release(Grant grant);

	/**
	 * Have a grant confirmed that is in doubt.
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> confirm(Grant grant);

	/**
	 * Set the lease of a grant anew.
	 * @param keepFor how long the lock is kept from now on; {@code null} as before
	 * @return completes with the failure of the store, or with nothing if that has
	 * confirmed it or the lock is not held any more
	 */
	CompletableFuture<@Nullable LockStoreException> extend(Grant grant, Duration ttl, @Nullable Duration keepFor);

	/**
	 * Wake up the waiters for the same keys whose place the end of a request may have
	 * taken.
	 * @param late whether the store may have freed the lock only now
	 */
	void wakeUpLines(boolean late);

}
