package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;

/** What a grant and its leases need of the queue that they belong to. */
interface GrantContext {

	Instance instance();

	LockKeys keys();

	/** Neither {@code DEFAULT} nor {@code WRITE}. */
	LockMode mode();

	/** Whether the queue is the line of all exclusive requests for a single key. */
	default boolean isPlain() {
		return mode() == LockMode.EXCLUSIVE && keys().isSingle();
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

	/** A request is not contended for any more. */
	void abandoned(Grant grant);

	/** A grant is about to have no owner any more. */
	void disowned(Grant grant);

	/**
	 * Enter a lock that is part of what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterPart(Waiter waiter);

	/**
	 * Enter what is held here, if its owner asks. Called under any monitor.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterAgain(Waiter waiter, AfterUnlock effects);

	/** More owners may enter a grant. */
	void ownersChanged(Grant grant);

	/**
	 * Take a lease off its grant.
	 * @return whether it was the last one
	 */
	boolean exit(GrantLease lease);

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
