package io.distributedlock;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets transactions that begin inside a guarded body roll back with
 * {@link LockLostException} instead of committing if a lease was lost. Add it to the
 * transaction manager; Spring Boot does so with beans of this type. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaseTransactionListener implements TransactionExecutionListener {

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
			CurrentLease
				.forEach((scope) -> TransactionSynchronizationManager.registerSynchronization(new CommitCheck(scope)));
		}
	}

	private record CommitCheck(LeaseScope scope) implements TransactionSynchronization {

		@Override
		public void beforeCommit(boolean readOnly) {
			this.scope.checkHeld();
		}

	}

}
