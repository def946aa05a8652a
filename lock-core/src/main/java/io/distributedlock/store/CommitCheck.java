package io.distributedlock.store;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The check of a store that keeps its locks in the database of the application: the owner
 * of a lock is checked in the transaction whose effect the lock guards, just before that
 * commits. The engine calls it after the lease itself was found to be held. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CommitCheck {

	/**
	 * Make sure that requests have their locks, in the transaction that is open on the
	 * calling thread, and keep the locks from all other requests until that transaction
	 * has ended. A renewal and a release by the owner are not kept out. Several locks are
	 * checked in one order, which all callers have in common. Blocks for one command on
	 * the connection of that transaction.
	 * <p>
	 * Does nothing if no transaction of that database is open, or if it only reads.
	 * @param owners the requests by lock
	 * @return {@code null} if each request has its lock, or if nothing was to be checked;
	 * otherwise the failure of the transaction, if it is not a loss: the caller asks the
	 * store, and throws a loss instead if there is one
	 * @throws RuntimeException if the database could not be asked, so that the
	 * transaction rolls back
	 */
	@Nullable RuntimeException refusal(Map<LockKey, RequestId> owners);

}
