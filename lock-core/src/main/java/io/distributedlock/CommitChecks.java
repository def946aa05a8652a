package io.distributedlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The checks of the leases of one transaction, before it commits. */
final class CommitChecks {

	private CommitChecks() {
	}

	/** Check leases on the thread whose transaction is about to commit. */
	static void check(Collection<LeaseScope> scopes) {
		List<Lease> left = scopes.stream().filter((scope) -> !scope.toleratesLoss()).map(LeaseScope::lease).toList();
		while (!left.isEmpty()) {
			Lease first = left.get(0);
			left = left.subList(1, left.size());
			if (first instanceof TemplateLease lease) {
				left = lease.checkCommit(left);
			}
			else {
				first.checkCommit();
			}
		}
	}

	static void beforeCommit(Collection<LockTransactions.Participant> participants) {
		List<LeaseScope> scopes = new ArrayList<>();
		List<TransactionalLeaseScope> joined = new ArrayList<>();
		for (LockTransactions.Participant participant : participants) {
			if (participant instanceof Surrounding surrounding) {
				scopes.add(surrounding.scope());
			}
			else if (participant instanceof TransactionalLeaseScope scope) {
				scopes.add(scope);
				joined.add(scope);
			}
			else {
				participant.beforeCommit();
			}
		}
		check(scopes, joined);
	}

	private static void check(List<LeaseScope> scopes, List<TransactionalLeaseScope> joined) {
		RuntimeException failure = loss(joined);
		if (failure == null) {
			try {
				check(scopes);
				return;
			}
			catch (RuntimeException ex) {
				RuntimeException loss = loss(joined);
				failure = (loss != null) ? loss : ex;
			}
		}
		for (TransactionalLeaseScope scope : joined) {
			scope.note(failure);
		}
		throw failure;
	}

	/** Return a loss that was noted when its lease was closed, if any. */
	private static @Nullable RuntimeException loss(List<TransactionalLeaseScope> joined) {
		for (TransactionalLeaseScope scope : joined) {
			if (scope.loss() != null) {
				return scope.loss();
			}
		}
		return null;
	}

	/**
	 * A guarded body around a transaction.
	 *
	 * @param scope its lease, which that transaction does not end
	 */
	record Surrounding(LeaseScope scope) implements LockTransactions.Participant {

		@Override
		public void beforeCommit() {
			this.scope.checkCommit();
		}

	}

}
