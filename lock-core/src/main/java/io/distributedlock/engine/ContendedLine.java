package io.distributedlock.engine;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A line whose head attempts to get the lock from the store. Also handles the messages
 * that the store sends without a command. Guarded by the queue.
 *
 * @param <Q> the queue
 */
abstract class ContendedLine<Q extends GrantContext & Attempt.Asker> extends WaitingLine {

	final Q queue;

	/**
	 * The attempts for the head; {@code null} while there are none, as when the lock is
	 * held here.
	 */
	@Nullable AcquireAttempts attempts;

	ContendedLine(Q queue) {
		this.queue = queue;
	}

	/** Give the head the lock that the store has granted. */
	abstract void granted(AcquireAttempts current, Attempt attempt, AcquireOutcome.Granted answer, long now,
			AfterUnlock effects);

	final void attempt(AcquireAttempts current, AfterUnlock effects) {
		Waiter waiter = Objects.requireNonNull(head());
		this.attempts = current;
		effects.add(attempt(current, waiter, !waiter.isOnce()));
	}

	final Attempt attempt(AcquireAttempts current, Waiter waiter, boolean entry) {
		Duration waiting = entry ? current.pauses.entryTtl() : Duration.ZERO;
		return current.begun(new Attempt(this.queue, current.grant(), waiter, !current.isAttempted(), waiting,
				spareTokens(current)));
	}

	private int spareTokens(AcquireAttempts current) {
		return Turn.spareTokens(this.queue, current.terms(), behind());
	}

	final void wakeUp(@Nullable String request, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && head() != null && current.isMeant(request) && current.wokenUp()) {
			current.cancelAlarm();
			attempt(current, effects);
		}
	}

	/** Attempt more often, since wake-ups may not arrive from here on. */
	final void wakeUpsLost() {
		if (this.attempts != null) {
			this.attempts.wakeUpsLost();
		}
	}

	/**
	 * Handle a claim: a release has given the lock to a request.
	 * @return false if this line has dropped the request without ending it
	 */
	final boolean claimed(String request, long token, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current == null || head() == null || !current.isMeant(request)) {
			boolean dropped = current != null && current.claim.follows(request);
			if (dropped) {
				wakeUp(null, effects);
			}
			return !dropped;
		}
		current.claimed(token);
		// An attempt in flight may have been sent later, or get the lock as its answer.
		if (current.isInFlight() || !takeClaim(current, effects)) {
			wakeUp(request, effects);
		}
		return true;
	}

	/**
	 * Take the lock that a release has given to the head; return whether the head has it.
	 */
	final boolean takeClaim(AcquireAttempts current, AfterUnlock effects) {
		Waiter waiter = Objects.requireNonNull(head());
		Attempt given = current.takeClaim(this.queue, waiter, spareTokens(current));
		if (given != null) {
			granted(current, given, new AcquireOutcome.Granted(given.claimedToken), this.queue.instance().now(),
					effects);
		}
		return given != null;
	}

}
