package io.distributedlock.transaction;

import io.distributedlock.LockTransactions;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transactions that Spring binds to a thread. The templates of {@code lock-core} find
 * this class as a service. Without spring-tx no transaction is open. Thread-safe.
 *
 * @since 0.1.0
 */
public final class SpringTransactions implements LockTransactions {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			SpringTransactions.class.getClassLoader());

	@Override
	public boolean isOpen() {
		return PRESENT && TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	@Override
	public void join(Participant participant) {
		Synchronizations.register(participant);
	}

	/**
	 * A class of its own: the verifier of the outer class would need spring-tx, which may
	 * be missing.
	 */
	private static final class Synchronizations {

		static void register(Participant participant) {
			TransactionSynchronizationManager.registerSynchronization(new ParticipantSynchronization(participant));
			CheckedTransaction checked = CheckedTransaction.current();
			if (checked != null) {
				checked.join(participant);
			}
		}

	}

	/**
	 * A synchronization of the lowest precedence, which Spring calls last before the
	 * commit. It checks the lease of a transaction that no listener knows of.
	 */
	private record ParticipantSynchronization(Participant participant) implements TransactionSynchronization {

		@Override
		public void beforeCommit(boolean readOnly) {
			if (CheckedTransaction.current() == null) {
				this.participant.beforeCommit();
			}
		}

		@Override
		public void afterCompletion(int status) {
			this.participant.afterCompletion(status == STATUS_ROLLED_BACK);
		}

	}

}
