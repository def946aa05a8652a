package io.distributedlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The transactions of a framework; a lock is held until the transaction has ended. A
 * {@link LockTemplate} finds the implementation by {@link java.util.ServiceLoader};
 * {@code lock-spring} has one for the transactions of Spring. If there are several, the
 * first one whose transaction is open counts. Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface LockTransactions {

	/**
	 * Return whether a transaction is open on the calling thread which
	 * {@link #join(Participant)} can join.
	 * @return {@code true} if there is one
	 */
	boolean isOpen();

	/**
	 * Have a participant called by the transaction that is open on the calling thread.
	 * @param participant called as late before the commit as possible, and after the
	 * transaction
	 * @throws IllegalStateException if no transaction is open
	 */
	void join(Participant participant);

	/**
	 * Have the leases of the guarded bodies that run on the calling thread checked before
	 * its transaction commits. To be called by a framework when a transaction has begun.
	 * @param transactions joined once for each lease
	 */
	static void checkCurrentLeases(LockTransactions transactions) {
		CurrentLease.forEach((scope) -> transactions.join(new CommitChecks.Surrounding(scope)));
	}

	/**
	 * Check the leases of the guarded bodies that run on the calling thread, now. To be
	 * called by a framework just before the commit of a transaction that cannot be
	 * joined.
	 * @throws RuntimeException so that the transaction rolls back instead
	 */
	static void checkCurrentLeases() {
		List<LeaseScope> scopes = new ArrayList<>();
		CurrentLease.forEach(scopes::add);
		CommitChecks.check(scopes);
	}

	/**
	 * Call participants of one transaction before it commits. The leases of a registry
	 * are checked in one command, where calls one by one need a command each. To be
	 * called by a framework in place of {@link Participant#beforeCommit()}.
	 * @param participants all that have joined
	 * @throws RuntimeException so that the transaction rolls back instead
	 */
	static void beforeCommit(Collection<Participant> participants) {
		CommitChecks.beforeCommit(participants);
	}

	/** A part of a transaction, called on the thread that ends it. */
	@FunctionalInterface
	interface Participant {

		/**
		 * The transaction is about to commit. Not called before a rollback.
		 * @throws RuntimeException so that it rolls back instead
		 */
		void beforeCommit();

		/**
		 * The transaction has ended.
		 * @param rolledBack {@code true} if it is known to have been rolled back
		 */
		default void afterCompletion(boolean rolledBack) {
		}

	}

}
