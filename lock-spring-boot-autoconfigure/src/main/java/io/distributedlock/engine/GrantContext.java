package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import io.distributedlock.store.LockKey;

/** What a grant and its leases need of the queue that they belong to. */
interface GrantContext {

	Instance instance();

	List<LockKey> keys();

	/** Neither {@code DEFAULT} nor {@code WRITE}. */
	LockMode mode();

	/** Whether the queue is the line of all exclusive requests for a single key. */
	default boolean isPlain() {
		return mode() == LockMode.EXCLUSIVE && keys().size() == 1;
	}

	/** The timer of a held grant has fired. */
	void due(Grant grant, long now);

	/** A grant was lost. Called once for a grant, on the loop. */
	void lost(Grant grant, LossReason reason);

	/**
	 * A grant does not hold the lock any more.
	 * @param confirmed whether the store has said so
	 */
	void ended(Grant grant, boolean confirmed);

	/**
	 * Enter a lock that is part of what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterPart(Waiter waiter);

	/** Let the waiters in whose owners enter by now what is held here. */
	void ownersChanged();

	/** The owner has given up a lease that lives on. */
	void disown(GrantLease lease);

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

	/** Wake up the waiters whose place the end of a request here may have taken. */
	void wakeUpOverlapping();

	/** Wake up the waiters for the same keys that have no place of their own. */
	void wakeUpLines();

}
