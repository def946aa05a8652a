package io.distributedlock.history;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;

/**
 * C2: the token of an acquisition is larger than every token that was given before it was
 * asked for, no two have the same, and a holder keeps its own. A reader has the token of
 * the last writer, and a restored process the token in its image. A caller to which its
 * process has handed the lock on has a token from before, as long as the turn lasts: it
 * may be smaller than one that was given after the store has forgotten that turn.
 */
final class TokenOrderRule extends Rule {

	private final Faults faults;

	/** Tokens that an unanswered request could still repeat, by key. */
	private final Map<String, TreeMap<Long, Event>> recent = new HashMap<>();

	private int retained;

	TokenOrderRule(Findings findings, Faults faults) {
		super(RuleName.C2_TOKEN_ORDER, findings);
		this.faults = faults;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (isGrant(event, lease) && event.mode() != Mode.S && !event.outcome().equals(Event.CLONED)) {
			checkGrant(event, state, lease);
		}
		else if (event.op() == Op.ENTER && lease == null) {
			checkSameToken(event, state);
		}
	}

	private void checkGrant(Event event, LockState state, HeldLease lease) {
		PendingRequest request = lease.request;
		if (request != null && isTooLow(event, request.floor()) && !isOld(event, request) && !isOfTurn(event, lease)) {
			violation(event.key(), "%s got token %d, although %d had been given before it asked"
				.formatted(event.request(), event.token(), request.floor()), request.floorGrant(), event);
		}
		else if (event.mode().isExclusive()) {
			checkUnique(event, state);
		}
		checkSameToken(event, state);
	}

	private static boolean isTooLow(Event event, long floor) {
		return event.mode().isExclusive() ? event.token() <= floor : event.token() < floor;
	}

	/** A fail-over has made the store forget the last writer, whose token it was. */
	private boolean isOld(Event event, PendingRequest request) {
		return event.mode() == Mode.R && this.faults.isUndone(event.key(), request.floorGrant().t(), event.t());
	}

	/**
	 * Return whether the store has forgotten the turn before it gave a larger token, and
	 * each larger one was given after it was asked for the turn.
	 */
	private boolean isOfTurn(Event event, HeldLease lease) {
		return lease.turn != null && event.mode() == Mode.X && event.token() > lease.turn.floor()
				&& this.faults.forgetting(event.key(), lease.turn.asked(), lease.request.floorGrant().t()) != null;
	}

	/**
	 * A token that is not larger than every floor is not kept: its floor refuses it.
	 */
	private void checkUnique(Event event, LockState state) {
		TreeMap<Long, Event> tokens = this.recent.computeIfAbsent(event.key(), (ignored) -> new TreeMap<>());
		this.retained -= tokens.size();
		Event twin = tokens.putIfAbsent(event.token(), event);
		// Both primaries of a fail-over may grant in the same microsecond.
		if (twin != null && !this.faults.isUndone(event.key(), twin.t(), event.t())) {
			violation(event.key(),
					"%s got token %d, which is that of %s".formatted(event.request(), event.token(), twin.request()),
					twin, event);
		}
		long floor = state.pending().isEmpty() ? state.highest() : state.pending().iterator().next().floor();
		tokens.headMap(floor, true).clear();
		this.retained += tokens.size();
	}

	private void checkSameToken(Event event, LockState state) {
		for (HeldLease other : state.leases()) {
			if (other.id.request().equals(event.request()) && other.id.mode() == event.mode()
					&& other.id.token() != event.token() && !other.hasEnded() && other.believes(event.t())) {
				violation(event.key(),
						"%s holds token %d and has now %d".formatted(event.request(), other.id.token(), event.token()),
						other.acquired, event);
			}
		}
	}

	@Override
	int retained() {
		return this.retained;
	}

}
