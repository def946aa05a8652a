package io.distributedlock.transaction;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction whose listener checks leases when all callbacks before the commit have
 * run: what they lock counts too, and all leases are checked together. While it is that
 * of the thread, its status is a resource under the key {@link TransactionExecution}, by
 * which a store finds the connection that is about to commit.
 */
final class CheckedTransaction implements TransactionSynchronization {

	private static final Class<?> STATUS = TransactionExecution.class;

	private final TransactionExecution status;

	private final List<LockTransactions.Participant> joined = new ArrayList<>();

	private CheckedTransaction(TransactionExecution status) {
		this.status = status;
	}

	/** Begin to collect what joins a transaction. */
	static void begin(TransactionExecution status) {
		CheckedTransaction begun = new CheckedTransaction(status);
		begun.resume();
		TransactionSynchronizationManager.registerSynchronization(begun);
	}

	/** Return that of the calling thread, or {@code null} if no listener knows of it. */
	static @Nullable CheckedTransaction current() {
		return (CheckedTransaction) TransactionSynchronizationManager.getResource(CheckedTransaction.class);
	}

	/** Run with the status of a transaction without synchronizations. */
	static void run(TransactionExecution status, Runnable check) {
		TransactionSynchronizationManager.bindResource(STATUS, status);
		try {
			check.run();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(STATUS);
		}
	}

	void join(LockTransactions.Participant participant) {
		this.joined.add(participant);
	}

	void check() {
		LockTransactions.beforeCommit(this.joined);
	}

	@Override
	public void suspend() {
		TransactionSynchronizationManager.unbindResource(CheckedTransaction.class);
		TransactionSynchronizationManager.unbindResource(STATUS);
	}

	@Override
	public void resume() {
		TransactionSynchronizationManager.bindResource(CheckedTransaction.class, this);
		TransactionSynchronizationManager.bindResource(STATUS, this.status);
	}

	@Override
	public void afterCompletion(int completion) {
		TransactionSynchronizationManager.unbindResourceIfPossible(CheckedTransaction.class);
		TransactionSynchronizationManager.unbindResourceIfPossible(STATUS);
	}

}
