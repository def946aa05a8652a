package io.distributedlock.history;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/** A rule that a history is checked for, event by event. */
abstract class Rule {

	private final RuleName name;

	final Findings findings;

	Rule(RuleName name, Findings findings) {
		this.name = name;
		this.findings = findings;
	}

	/**
	 * Check an event that is part of the state already.
	 * @param event an event of a lock
	 * @param state the lock
	 * @param lease the lease it happened to, or {@code null}
	 */
	abstract void accept(Event event, LockState state, HeldLease lease);

	/** The history is over, with this event. */
	void finish(Event last) {
	}

	/** How many things the rule itself remembers. */
	int retained() {
		return 0;
	}

	final void violation(String key, String sentence, Event... events) {
		this.findings.violation(this.name, key, sentence, events);
	}

	/** Return whether the event is the first answer that gave the lease. */
	static boolean isGrant(Event event, HeldLease lease) {
		return lease != null && lease.acquired == event;
	}

	/**
	 * Return whether the belief in the lease begins with the event, for the first time or
	 * again.
	 */
	static boolean isBegin(Event event, HeldLease lease) {
		return lease != null && event.phase() == Phase.OK && (event.op() == Op.ACQUIRE || event.op() == Op.RENEW)
				&& lease.believedSince() == event.t();
	}

}
