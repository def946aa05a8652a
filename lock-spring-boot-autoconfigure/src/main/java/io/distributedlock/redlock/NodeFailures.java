package io.distributedlock.redlock;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Says which nodes are to blame.
 */
final class NodeFailures {

	private NodeFailures() {
	}

	/**
	 * Describe why nodes do not suffice.
	 * @param what what was attempted
	 * @param needed how many nodes it takes
	 * @param members all nodes
	 * @param answers what each has said, or nothing if it was silent
	 * @return misconfigured if without those that are not, too few are left
	 */
	static <T> LockStoreException describe(String what, int needed, List<Member> members,
			List<@Nullable Answer<T>> answers) {
		List<String> reasons = new ArrayList<>();
		LockStoreException cause = null;
		int misconfigured = 0;
		for (int i = 0; i < members.size(); i++) {
			Answer<T> answer = answers.get(i);
			if (answer == null) {
				reasons.add(members.get(i).name() + " gave no answer in time");
			}
			else if (answer.failure() != null) {
				reasons.add(members.get(i).name() + ": " + answer.failure().getMessage());
				misconfigured += answer.isMisconfigured() ? 1 : 0;
				cause = (cause == null || answer.isMisconfigured()) ? answer.failure() : cause;
			}
		}
		Kind kind = (misconfigured > members.size() - needed) ? Kind.MISCONFIGURED : Kind.UNAVAILABLE;
		return new LockStoreException(kind, "Cannot %s: %d of %d nodes can be asked and it takes %d: %s".formatted(what,
				members.size() - reasons.size(), members.size(), needed, String.join("; ", reasons)), cause);
	}

}
