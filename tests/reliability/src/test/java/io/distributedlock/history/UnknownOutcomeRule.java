package io.distributedlock.history;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C9: an ended request or lease stays ended. A request that was abandoned, or answered,
 * is not granted later; a released lease is not renewed. A grant of unknown outcome is
 * not used against a holder, and excuses waiters only as long as the store may have it.
 */
final class UnknownOutcomeRule extends Rule {

	private final Bounds bounds;

	/** Leases and requests that ended lately, by key, in the order of their removal. */
	private final Map<String, Ended> ended = new HashMap<>();

	private int retained;

	UnknownOutcomeRule(Findings findings, Bounds bounds) {
		super(RuleName.C9_UNKNOWN_OUTCOME, findings);
		this.bounds = bounds;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		Ended over = this.ended.computeIfAbsent(event.key(), (ignored) -> new Ended());
		forget(over.leases, event.t());
		forget(over.requests, event.t());
		if (event.is(Op.ABANDON, Phase.OK)) {
			remember(over.requests, event.request(), event.t() + this.bounds.leaseNanos());
		}
		else if (lease != null && event.op() == Op.RELEASE && event.phase() != Phase.INVOKE) {
			remember(over.leases, lease.id, event.t());
		}
		else if (isGrant(event, lease)) {
			checkGrant(event, lease, over);
		}
		else if (event.is(Op.RENEW, Phase.INVOKE)) {
			checkRenewal(event, lease, over);
		}
	}

	private void checkGrant(Event event, HeldLease lease, Ended over) {
		if (over.requests.containsKey(event.request())) {
			violation(event.key(), "%s was abandoned, and is granted all the same".formatted(event.request()), event);
		}
		else if (lease.request == null) {
			violation(event.key(), "%s is granted without having asked, or once more".formatted(event.request()),
					event);
		}
	}

	/** A renewal that was on its way as the release was answered is no more than late. */
	private void checkRenewal(Event event, HeldLease lease, Ended over) {
		boolean held = lease != null && !lease.isClosed();
		if (!held && !over.leases.containsKey(LeaseId.of(event))) {
			violation(event.key(), "%s is renewed long after its end".formatted(event.request()), event);
		}
	}

	private <T> void remember(Map<T, Long> ended, T id, long t) {
		if (ended.put(id, t + this.bounds.commandNanos() + this.bounds.slackNanos()) == null) {
			this.retained++;
		}
	}

	private void forget(Map<?, Long> ended, long t) {
		Iterator<Long> until = ended.values().iterator();
		while (until.hasNext() && until.next() < t) {
			until.remove();
			this.retained--;
		}
	}

	@Override
	int retained() {
		return this.retained;
	}

	private static final class Ended {

		private final Map<LeaseId, Long> leases = new LinkedHashMap<>();

		private final Map<String, Long> requests = new LinkedHashMap<>();

	}

}
