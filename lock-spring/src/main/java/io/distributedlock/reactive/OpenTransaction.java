package io.distributedlock.reactive;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionContextManager;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * A reactive transaction that is open when a lock is taken. It keeps the lease until it
 * has completed: until the commit, other callers cannot see the data that the body wrote.
 * Only this class of the package needs spring-tx.
 */
final class OpenTransaction {

	/**
	 * The key of a resource, which survives a suspension of the transaction, as a
	 * thread's ownership does.
	 */
	private static final Object KEPT = OpenTransaction.class;

	/** Not thread-safe, but shared by all calls: changes hold its monitor. */
	private final TransactionContext context;

	private final TransactionSynchronizationManager transaction;

	private OpenTransaction(TransactionContext context) {
		this.context = context;
		this.transaction = new TransactionSynchronizationManager(context);
	}

	/** The transaction that is open around a subscription. */
	static Mono<Optional<OpenTransaction>> current() {
		return TransactionContextManager.currentContext()
			.map(OpenTransaction::new)
			.filter(OpenTransaction::isOpen)
			.onErrorResume(NoTransactionException.class, (ex) -> Mono.empty())
			.singleOptional();
	}

	private boolean isOpen() {
		return this.transaction.isActualTransactionActive() && this.transaction.isSynchronizationActive();
	}

	/** A live view of the owners whose bodies have ended and whose leases are kept. */
	@SuppressWarnings("unchecked")
	Set<ReactiveOwner> kept() {
		synchronized (this.context) {
			Set<ReactiveOwner> kept = (Set<ReactiveOwner>) this.transaction.getResource(KEPT);
			if (kept == null) {
				kept = ConcurrentHashMap.newKeySet();
				this.transaction.bindResource(KEPT, kept);
			}
			return kept;
		}
	}

	/** Keep a lease that has just been acquired. */
	void keep(SubscriptionLease lease, ReactiveOwner owner) {
		Set<ReactiveOwner> kept = kept();
		if (!lease.keep(() -> kept.add(owner))) {
			return;
		}
		try {
			register(new KeptLease(lease, () -> kept.remove(owner)));
		}
		catch (IllegalStateException ex) {
			lease.transactionCompleted(true).subscribe();
			throw ex;
		}
		lease.registered();
	}

	private void register(KeptLease kept) {
		synchronized (this.context) {
			this.transaction.registerSynchronization(kept);
		}
	}

	/** Has the lowest precedence, to run as late before the commit as it can. */
	private record KeptLease(SubscriptionLease lease, Runnable forget) implements TransactionSynchronization, Ordered {

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return this.lease.beforeCommit();
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			this.forget.run();
			return this.lease.transactionCompleted(status == STATUS_ROLLED_BACK);
		}

	}

}
