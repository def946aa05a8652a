package io.distributedlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

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
		RuntimeException failure = first(joined, TransactionalLeaseScope::loss);
		if (failure == null) {
			failure = failure(scopes, joined);
		}
		if (failure == null) {
			return;
		}
		for (TransactionalLeaseScope scope : joined) {
			scope.note(failure);
		}
		throw failure;
	}

	private static @Nullable RuntimeException failure(List<LeaseScope> scopes, List<TransactionalLeaseScope> joined) {
		try {
			check(scopes);
			return first(joined, TransactionalLeaseScope::commit);
		}
		catch (RuntimeException ex) {
			RuntimeException loss = first(joined, TransactionalLeaseScope::loss);
			return (loss != null) ? loss : ex;
		}
	}

	/** Return a loss that was noted when its lease was closed, if any. */
	private static @Nullable RuntimeException first(List<TransactionalLeaseScope> joined,
			Function<TransactionalLeaseScope, @Nullable RuntimeException> lossOf) {
		for (TransactionalLeaseScope scope : joined) {
			RuntimeException loss = lossOf.apply(scope);
			if (loss != null) {
				return loss;
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
