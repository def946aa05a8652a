package io.distributedlock.transaction;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes a transaction roll back with {@link LockLostException} instead of committing if a
 * lease was lost. It is for transactions that begin inside a guarded body, on its thread
 * or in an action that was {@linkplain Lease#wrap carried} to another one. Transaction
 * managers that are beans have it by auto-configuration; add it to others by
 * {@link org.springframework.transaction.ConfigurableTransactionManager#addListener}.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaseTransactionListener implements TransactionExecutionListener {

	private final LockTransactions transactions = new SpringTransactions();

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure == null && isSynchronized(transaction)) {
			LockTransactions.checkCurrentLeases(this.transactions);
		}
	}

	/** Check the leases of a transaction that has no synchronizations. */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (transaction.isNewTransaction() && !isSynchronized(transaction)) {
			LockTransactions.checkCurrentLeases();
		}
	}

	/**
	 * Return whether a transaction calls the synchronizations of the thread. One with
	 * {@code SYNCHRONIZATION_NEVER} does not, and neither does one inside the transaction
	 * of another manager, which calls them when it commits itself.
	 */
	private static boolean isSynchronized(TransactionExecution transaction) {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& !(transaction instanceof DefaultTransactionStatus status && !status.isNewSynchronization());
	}

}
