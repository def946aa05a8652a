package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * Checks that the token of a caller is larger than all that callers had been given for
 * the lock before its call, whatever the store has lost. A holder that enters again keeps
 * its token, readers share one, and a turn may go on with its tokens after the store has
 * lost the lock.
 */
final class SimulationTokens {

	private static final long TURN_NANOS = QueueView.TURN.toNanos();

	/** A turn lasts no longer than this part of a ttl, either. */
	private static final int TURNS_OF_TTL = 100;

	private final SimulationWorld world;

	private final Map<LockKey, Told> largest = new HashMap<>();

	private final Map<LockKey, List<Fault>> faults = new HashMap<>();

	private final Map<RequestId, List<Turn>> turns = new HashMap<>();

	private final Set<Grant> known = Collections.newSetFromMap(new IdentityHashMap<>());

	private boolean failedOver;

	SimulationTokens(SimulationWorld world) {
		this.world = world;
	}

	/** The largest token that a caller has been given so far, or {@code null}. */
	Told largest(LockKey key) {
		return this.largest.get(key);
	}

	/** The store loses its record of a lock, or a lease ends early. */
	void lost(LockKey key) {
		fault(key, this.world.now());
	}

	/** Two servers answer for a lock up to that time. */
	void failsOver(LockKey key, long until) {
		this.failedOver = true;
		fault(key, until);
	}

	private void fault(LockKey key, long until) {
		this.faults.computeIfAbsent(key, (missing) -> new ArrayList<>()).add(new Fault(this.world.now(), until));
	}

	/**
	 * Note the tokens that an attempt has reserved.
	 * @param sentAt when it was sent
	 * @param sentNanos the same by the clock of its instance
	 */
	AcquireOutcome answered(AcquireCommand command, long sentAt, long sentNanos, AcquireOutcome outcome) {
		if (command.spareTokens() > 0 && outcome instanceof AcquireOutcome.Granted granted) {
			long longest = Math.min(TURN_NANOS, command.ttl().toNanos() / TURNS_OF_TTL);
			this.turns.computeIfAbsent(command.request(), (missing) -> new ArrayList<>())
				.add(new Turn(granted.token(), granted.token() + command.spareTokens(), sentAt, sentNanos + longest));
		}
		return outcome;
	}

	/** A caller is given its lease. */
	void begins(SimulationHold hold) {
		for (LockKey key : hold.call().keys()) {
			Grant grant = hold.part(key).grant;
			Told before = hold.call().toldBefore(key);
			boolean first = this.known.add(grant) && !isEnteredAgain(hold, key, grant);
			if (before != null && first && hold.token(key) <= before.token && !isShared(hold, key, before)
					&& !isHandedOn(hold, key, before)) {
				this.world.violation("The token %d of %s is not larger than %d, which was given before its call",
						hold.token(key), hold, before.token);
			}
		}
		for (LockKey key : hold.call().keys()) {
			this.largest.compute(key, (same, before) -> (before != null && before.token >= hold.token(key)) ? before
					: new Told(hold.token(key), this.world.now(), before));
		}
	}

	/** By an owner that has got the lock by an earlier call, which need not know yet. */
	private static boolean isEnteredAgain(SimulationHold hold, LockKey key, Grant grant) {
		List<Hold> holds = grant.allHolds();
		boolean isOutermost = holds.isEmpty() || holds.get(holds.size() - 1) == hold.part(key);
		return hold.call().owner() != null && (grant.acquiredAt() < hold.call().begunNanos() || !isOutermost);
	}

	/**
	 * Return whether a reader may have the token of an earlier writer than the last one:
	 * a fail-over may have undone the last one.
	 */
	boolean mayLackWriters() {
		return this.failedOver;
	}

	private boolean isShared(SimulationHold hold, LockKey key, Told before) {
		return hold.reads() && (hold.token(key) == before.token || this.failedOver);
	}

	/**
	 * Return whether the token belongs to a turn that was not over when the call began,
	 * and that began before any larger token was given. The store has to have lost the
	 * lock in between.
	 */
	private boolean isHandedOn(SimulationHold hold, LockKey key, Told before) {
		long token = hold.token(key);
		Told larger = before.firstFrom(token);
		return this.turns.getOrDefault(hold.part(key).grant.request(), List.of())
			.stream()
			.anyMatch((turn) -> turn.hasSpare(token) && hold.call().begunNanos() <= turn.endNanos
					&& larger.at >= turn.sentAt
					&& this.faults.getOrDefault(key, List.of())
						.stream()
						.anyMatch((fault) -> fault.from <= larger.at && fault.until >= turn.sentAt));
	}

	/**
	 * A token that was larger than all before when a caller was given it.
	 *
	 * @param token the token
	 * @param at when
	 * @param before the largest one before, or {@code null}
	 */
	record Told(long token, long at, Told before) {

		/** The first one that was not less than another one. */
		private Told firstFrom(long other) {
			Told first = this;
			while (first.before != null && first.before.token >= other) {
				first = first.before;
			}
			return first;
		}

	}

	private record Fault(long from, long until) {
	}

	/**
	 * An attempt that has reserved tokens.
	 *
	 * @param token its own
	 * @param lastToken the last that is reserved
	 * @param sentAt when it was sent
	 * @param endNanos when its turn ends, by the clock of its instance
	 */
	private record Turn(long token, long lastToken, long sentAt, long endNanos) {

		private boolean hasSpare(long other) {
			return other > this.token && other <= this.lastToken;
		}

	}

}
