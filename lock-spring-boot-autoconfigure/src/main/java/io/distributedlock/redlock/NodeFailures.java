package io.distributedlock.redlock;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Says which nodes are to blame, and of no other node anything: one that was not asked,
 * or has not answered yet when enough others have failed, may be well.
 */
final class NodeFailures {

	private final List<String> reasons = new ArrayList<>();

	private @Nullable LockStoreException cause;

	private int misconfigured;

	/** A node has let its time go by. */
	void silent(Member member) {
		this.reasons.add(member.name() + " gave no answer in time");
	}

	/** A node has failed. */
	void failed(Member member, LockStoreException failure) {
		this.reasons.add(member.name() + ": " + failure.getMessage());
		boolean isMisconfigured = failure.getKind() == Kind.MISCONFIGURED;
		this.misconfigured += isMisconfigured ? 1 : 0;
		this.cause = (this.cause == null || isMisconfigured) ? failure : this.cause;
	}

	/**
	 * Describe why nodes do not suffice.
	 * @param what what was attempted
	 * @param taker what takes so many nodes
	 * @param needed how many nodes it takes
	 * @param nodes how many there are
	 * @return misconfigured if without those that are not, too few are left
	 */
	LockStoreException describe(String what, String taker, int needed, int nodes) {
		Kind kind = (this.misconfigured > nodes - needed) ? Kind.MISCONFIGURED : Kind.UNAVAILABLE;
		return new LockStoreException(kind, "Cannot %s: %s takes %d of %d nodes, and %d failed: %s".formatted(what,
				taker, needed, nodes, this.reasons.size(), String.join("; ", this.reasons)), this.cause);
	}

}
