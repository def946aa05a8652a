package io.distributedlock.engine.internal.line;

import java.time.Duration;

import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.AcquireOutcome;

/**
 * The turn of this instance at a lock. After an acquisition in the store, callers that
 * wait here hand the lock on to each other without asking the store. Each of them gets
 * one of the tokens that were reserved with the acquisition. The turn is bounded in
 * number and time, so that other instances wait no longer than for one holder more. This
 * is lock cohorting (Dice, Marathe and Shavit, "Lock Cohorting", PPoPP 2012). Guarded by
 * the queue.
 */
final class Turn {

	/**
	 * The most hand-offs in a row. Each reserves a fencing token, and tokens must not get
	 * ahead of the server clock, from which they go on after a key is lost.
	 */
	static final int MOST_HAND_OFFS = 64;

	/** The longest time that a turn lasts and other instances wait. */
	static final Duration PERIOD = Duration.ofMillis(20);

	/** A lease that is handed on is at most this part of a ttl shorter than a new one. */
	private static final int PARTS_OF_TTL = 100;

	/**
	 * The most rounds of the callers in line within a turn. More of them make a turn of
	 * few threads hardly faster, and other instances wait longer.
	 */
	private static final int ROUNDS = 8;

	/** A pause that is longer than a woken instance takes to attempt. */
	private static final long YIELD_NANOS = 5_000_000;

	/** Set if other instances wait. */
	private final boolean contended;

	private final long lastToken;

	private final long endsAt;

	private Grant grant;

	private boolean handedOn;

	/**
	 * Begin a turn.
	 * @param attempt the attempt that was granted, with spare tokens
	 */
	Turn(Attempt attempt, AcquireOutcome.Granted answer) {
		this.grant = attempt.grant;
		this.lastToken = answer.token() + attempt.spareTokens;
		this.contended = answer.contended();
		long longest = Math.min(PERIOD.toNanos(), this.grant.ttlNanos() / PARTS_OF_TTL);
		this.endsAt = attempt.sentAt + longest;
	}

	/**
	 * Return the number of tokens to reserve for a turn: callers who come back at once
	 * get another one.
	 * @param waiters the number of callers behind the one that attempts
	 */
	static int spareTokens(Grant grant, LockTerms terms, int waiters) {
		return (Attempt.handsOn(grant, terms) && grant.instance.handOff) ? Math.min(MOST_HAND_OFFS, ROUNDS * waiters)
				: 0;
	}

	/** Return whether a caller may get the lock from a grant whose holder has left. */
	boolean goesOn(Grant left, LockTerms wanted, long now) {
		return left == this.grant && now < this.endsAt && left.token() < this.lastToken
				&& left.terms().sameOnTheWire(wanted);
	}

	/** A caller has got the lock by a hand-off. */
	void handedOn(Grant next) {
		this.grant = next;
		this.handedOn = true;
	}

	/**
	 * Return the pause after this turn, in which others may get the lock. There is none
	 * if the release has given it to one of them. The pause is random, so that instances
	 * do not come in step.
	 * @return nanoseconds, or zero
	 */
	long pause() {
		boolean given = Attempt.claims(this.grant);
		return (this.contended && this.handedOn && !given) ? this.grant.instance.jitter(YIELD_NANOS) : 0;
	}

}
