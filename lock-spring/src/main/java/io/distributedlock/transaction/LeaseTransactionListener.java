package io.distributedlock.transaction;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
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
		if (beginFailure == null && transaction.isNewTransaction()
				&& TransactionSynchronizationManager.isSynchronizationActive()
				&& CheckedTransaction.current() == null) {
			CheckedTransaction.begin(transaction);
			LockTransactions.checkCurrentLeases(this.transactions);
		}
	}

	/**
	 * Check the leases under which the transaction began, and those that have joined it,
	 * also while Spring called what precedes the commit. A transaction without
	 * synchronizations is not joined.
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (!transaction.isNewTransaction()) {
			return;
		}
		CheckedTransaction current = CheckedTransaction.current();
		if (current != null) {
			current.check();
		}
		else if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			CheckedTransaction.run(transaction, LockTransactions::checkCurrentLeases);
		}
	}

}
