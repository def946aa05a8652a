package io.distributedlock.engine.internal.line;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that want the lock of one queue, first come first served.
 * Only the head contends in the store, and only while no grant of this instance holds the
 * lock. Permits are requested one after the other.
 * <p>
 * The {@link KeyQueue} creates this line once anything happens but the success of a first
 * attempt. It calls each method under its monitor. {@link AfterUnlock} effects send the
 * commands and settle the waiters when it has left the monitor.
 * <p>
 * The field {@code attempts} is the state:
 * <ul>
 * <li>{@code null}: no request is under way. The line is empty, or the lock is held here:
 * {@link #contend} begins a request once the grant has ended.</li>
 * <li>In flight: an attempt was sent, or waits for its turn at its node. It ends with
 * {@link #answered}, or with {@link #alarm} as its time-out.</li>
 * <li>Between attempts: the lock is busy, the store failed, or other instances come
 * first. The alarm or a wake-up makes the next attempt; a claim may give the lock at
 * once.</li>
 * </ul>
 * If the head leaves, {@link #headLeft} keeps the request for a next waiter that it
 * serves. Otherwise it draws a new one for the same waiter entry, or ends the request. A
 * request from before a clock jump is in doubt: its grant is not used. An answer to an
 * attempt that was given up is ignored. Onlookers, which attempt only once, send nothing
 * and are settled with the answer to the head.
 */
final class Contention {

	private final KeyQueue queue;

	/**
	 * The attempts for the head; {@code null} while there are none, as when the lock is
	 * held here.
	 */
	@Nullable AcquireAttempts attempts;

	private @Nullable Waiter head;

	private Set<Waiter> behind = Set.of();

	/** Single attempts that wait for the answer to the attempt of another waiter. */
	private Set<Waiter> onlookers = Set.of();

	final LastWord lastWord = new LastWord();

	Contention(KeyQueue queue) {
		this.queue = queue;
	}

	/** Go on with the first attempt of an only waiter. */
	Contention(KeyQueue queue, Attempt first) {
		this(queue);
		add(first.head);
		WaiterTimer.watch(first.head);
		this.attempts = new AcquireAttempts(first.grant, queue.fairPlace());
		this.attempts.begun(first);
		if (first.answer != null) {
			this.attempts.awaiting(first, first.answer);
		}
		else {
			this.attempts.waits(first);
		}
	}

	boolean isEmpty() {
		return this.attempts == null && this.head == null && this.onlookers.isEmpty();
	}

	void join(Waiter waiter, AfterUnlock effects) {
		if (waiter.isOnce() && (this.queue.held != null || head() != null)) {
			addOnlooker(waiter);
			tellOnlookers(effects);
			effects
				.add(() -> WaiterTimer.set(waiter, waiter.startedAt + this.queue.index.instance.commandTimeoutNanos()));
		}
		else {
			add(waiter);
			contend(effects);
		}
	}

	/** Remove a waiter; return false if it was not in the line. */
	boolean leave(Waiter waiter, AfterUnlock effects) {
		if (waiter != head()) {
			return remove(waiter);
		}
		removeHead();
		headLeft(effects);
		return true;
	}

	/** Settle the onlookers, unless the answer to the head is still open. */
	private void tellOnlookers(AfterUnlock effects) {
		if (this.attempts != null && !this.attempts.isAnswered()) {
			return;
		}
		for (Waiter waiter : takeOnlookers()) {
			if (!this.queue.enterAgain(waiter, effects)) {
				Failure reason = this.queue.timeOutReason(waiter);
				effects.add(() -> waiter.settle(reason));
			}
		}
	}

	/**
	 * Let the head contend in the store if it may and does not yet. While the lock is
	 * held here, the store knows no waiter. The end of the holder from outside should
	 * still arrive as a message, and the store is asked for it in any case.
	 */
	void contend(AfterUnlock effects) {
		Waiter waiter = head();
		Grant held = this.queue.held;
		if (waiter != null && held != null && held.askLater()) {
			effects.add(held::advance);
			effects.add(this.queue.index.instance.store::listen);
		}
		if (waiter == null || this.attempts != null || held != null) {
			return;
		}
		try {
			this.attempts = new AcquireAttempts(this.queue.newGrant(null, waiter.terms), this.queue.fairPlace());
			long pause = this.queue.endTurn();
			if (pause > 0) {
				this.attempts.setAlarm(this.queue.index.instance.now() + pause);
				return;
			}
			attempt(this.attempts, effects);
		}
		catch (LockStoreException ex) {
			failAll(() -> Failure.ofStore(ex), effects);
		}
	}

	/** Handle the answer to an attempt. */
	void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current == null || !current.landed(attempt)) {
			return;
		}
		long now = this.queue.index.instance.now();
		if (outcome instanceof AcquireOutcome.Granted granted) {
			granted(current, attempt, granted, now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Busy busy) {
			busy(current, attempt, busy, now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Refused) {
			attempt.refused(now);
			requestEnded(current, effects);
		}
		else if (failure(ex) instanceof ReplicasNotAcknowledgedException miss) {
			this.queue.index.instance.counters.failed(miss);
			current.missed(miss, now);
			takeBack(current, attempt, miss, effects);
		}
		else {
			failed(current, failure(ex), effects);
		}
	}

	private LockStoreException failure(@Nullable Throwable ex) {
		return Failure.ofStore(this.queue.index.instance.store, "acquire", this.queue.keys(), ex);
	}

	private void granted(AcquireAttempts current, Attempt attempt, AcquireOutcome.Granted answer, long now,
			AfterUnlock effects) {
		if (attempt.grant.isInDoubt()) {
			requestEnded(current, effects);
		}
		else if (now >= attempt.validUntil()) {
			failed(current, failure(null), effects);
		}
		else {
			Waiter winner = removeHead();
			attempt.given |= current.claim.isGiven();
			current.cancelAlarm();
			this.attempts = null;
			this.lastWord.answered(now);
			effects.add(this.queue.hold(attempt, winner, answer, now));
			tellOnlookers(effects);
			contend(effects);
		}
	}

	private void busy(AcquireAttempts current, Attempt attempt, AcquireOutcome.Busy answer, long now,
			AfterUnlock effects) {
		this.lastWord.answered(now);
		current.setAlarm(current.busy(answer, attempt.sentAt, now));
		if (answer.ahead() != null) {
			String ahead = answer.ahead().toString();
			effects.add(() -> this.queue.index.contending(ahead, (next) -> next.wakeUp(ahead)));
		}
		if (takeClaim(current, effects)) {
			return;
		}
		Grant dropped = current.claim.takeDroppedOf(answer.holder());
		if (dropped != null) {
			effects.add(() -> this.queue.abandon(dropped, false));
		}
		tellOnlookers(effects);
		if (answer.ended()) {
			goOnAnew(current, current.terms());
		}
		Waiter waiter = Objects.requireNonNull(head());
		if (waiter.isOnce()) {
			settleHead(this.queue.busy(waiter), effects);
			headLeft(effects);
		}
		else if (current.grant().isInDoubt()) {
			requestEnded(current, effects);
		}
		else {
			leaveEntry(effects);
		}
	}

	/**
	 * Replace a request that has ended or is in doubt. A single attempt fails instead.
	 */
	private void requestEnded(AcquireAttempts current, AfterUnlock effects) {
		current.ended();
		if (headTriesOnce()) {
			settleHead(() -> failure(null), effects);
		}
		restart(effects);
	}

	/**
	 * Release a granted lock that its caller must not get. The lock is free again before
	 * the caller fails or attempts anew; both are part of this attempt and its time. The
	 * ended request is never used again, so that its end can come late or twice.
	 */
	private void takeBack(AcquireAttempts current, Attempt attempt, LockStoreException miss, AfterUnlock effects) {
		current.setAlarm(attempt.overdueAt);
		boolean keepsPlace = this.queue.mode() == LockMode.FAIR && !headTriesOnce();
		goOnAnew(current, current.terms());
		Attempt pending = attempt(current, Objects.requireNonNull(head()), keepsPlace);
		effects.add(() -> this.queue.replace(attempt.grant, pending.grant, pending.waiting)
			.thenRun(() -> this.queue.contended((waiting, more) -> {
				if (current.landed(pending)) {
					waiting.tryLater(current, miss, more);
				}
			})));
	}

	private void failed(AcquireAttempts current, LockStoreException failure, AfterUnlock effects) {
		current.failed(failure);
		afterFailure(current, failure, effects);
	}

	private void afterFailure(AcquireAttempts current, LockStoreException failure, AfterUnlock effects) {
		this.lastWord.failed(failure);
		this.queue.index.instance.counters.failed(failure);
		boolean divided = this.queue.index.instance.offer.divides(this.queue.keys());
		if (divided || failure.getKind() == LockStoreException.Kind.MISCONFIGURED) {
			failAll(() -> Failure.ofStore(failure), effects);
		}
		else {
			tryLater(current, failure, effects);
		}
	}

	private void tryLater(AcquireAttempts current, LockStoreException failure, AfterUnlock effects) {
		current.setAlarm(current.backOff(this.queue.index.instance.now()));
		tellOnlookers(effects);
		if (headTriesOnce()) {
			settleHead(() -> Failure.ofStore(failure), effects);
			headLeft(effects);
		}
	}

	/** Fail all waiters. */
	void failAll(Failure reason, AfterUnlock effects) {
		settleAll(reason, effects);
		headLeft(effects);
	}

	/** Let the next waiter take over the request under way, if that serves it as well. */
	private void headLeft(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		Waiter next = head();
		boolean served = next != null && current != null && current.terms().sameOnTheWire(next.terms)
				&& current.serves(next);
		if (served) {
			leaveEntry(effects);
		}
		else if (current != null && next != null && current.onlyWaits()) {
			// An end of the request in the store would let readers overtake the head.
			boolean differs = !current.terms().sameOnTheWire(next.terms);
			goOnAnew(current, next.terms);
			if (differs) {
				current.cancelAlarm();
				attempt(current, effects);
			}
			leaveEntry(effects);
		}
		else if (current != null) {
			restart(effects);
		}
	}

	/** Leave a waiter entry if there is none: a caller that attempts once leaves none. */
	private void leaveEntry(AfterUnlock effects) {
		if (this.attempts != null && this.attempts.wantsEntry()) {
			this.attempts.cancelAlarm();
			attempt(this.attempts, effects);
		}
	}

	/** End the request under way, and begin another one for the next waiter. */
	private void restart(AfterUnlock effects) {
		if (this.attempts != null) {
			end(this.attempts, effects);
		}
		this.attempts = null;
		promoteOnlooker();
		contend(effects);
	}

	/** Go on with a new request. The waiter entry in the store and the alarm stay. */
	private void goOnAnew(AcquireAttempts current, LockTerms terms) {
		Grant ended = current.grant();
		long alarm = current.stop();
		this.queue.abandoned(ended);
		ended.end();
		current.goOnAnew(this.queue.newGrant(ended, terms), alarm);
	}

	/**
	 * End the request under way, also in the store if that may have given the lock or
	 * keep an entry.
	 */
	private void end(AcquireAttempts current, AfterUnlock effects) {
		current.forget(effects);
		Grant ended = current.grant();
		current.stop();
		this.queue.abandoned(ended);
		ended.end();
		Grant dropped = current.claim.dropped();
		if (dropped != null) {
			effects.add(() -> this.queue.abandon(dropped, false));
		}
		boolean unknown = dropped != null && !current.isAttempted();
		if (!unknown && current.mayBeKnown()) {
			effects.add(() -> this.queue.abandon(ended, current.isOnlyRefused()));
		}
		else {
			ended.requestEnded();
		}
	}

	/**
	 * Drop a request from before a clock jump, since another process may make it as well.
	 * An attempt in flight is dropped after its answer.
	 */
	void doubted(AfterUnlock effects) {
		if (this.attempts != null && !this.attempts.isInFlight()) {
			requestEnded(this.attempts, effects);
		}
	}

	void alarm(Grant grant, long now, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current == null || current.grant() != grant || head() == null || current.isBeforeAlarm(now)) {
			return;
		}
		if (current.isInFlight()) {
			afterFailure(current, current.overdue(effects), effects);
		}
		else if (!current.followsSign(now)) {
			attempt(current, effects);
		}
	}

	private void attempt(AcquireAttempts current, AfterUnlock effects) {
		Waiter waiter = Objects.requireNonNull(head());
		this.attempts = current;
		Attempt next = attempt(current, waiter, !waiter.isOnce());
		effects.add(() -> this.queue.send(next));
	}

	private Attempt attempt(AcquireAttempts current, Waiter waiter, boolean entry) {
		Duration waiting = entry ? current.pauses.entryTtl() : Duration.ZERO;
		return current
			.begun(new Attempt(current.grant(), waiter, !current.isAttempted(), waiting, spareTokens(current)));
	}

	private int spareTokens(AcquireAttempts current) {
		return Turn.spareTokens(current.grant(), current.terms(), this.behind.size());
	}

	void wakeUp(@Nullable String request, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && head() != null && current.isMeant(request) && current.wokenUp()) {
			current.cancelAlarm();
			attempt(current, effects);
		}
	}

	/** Attempt more often, since wake-ups may not arrive from here on. */
	void wakeUpsLost() {
		if (this.attempts != null) {
			this.attempts.wakeUpsLost();
		}
	}

	/**
	 * Handle a claim: a release has given the lock to a request. If that was dropped here
	 * without an end, it is ended now.
	 */
	void claimed(String request, long token, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current == null || head() == null || !current.isMeant(request)) {
			Grant dropped = (current != null) ? current.claim.takeDropped(request) : null;
			if (dropped != null) {
				wakeUp(null, effects);
				effects.add(() -> this.queue.abandon(dropped, false));
			}
			return;
		}
		current.claimed(token);
		// An attempt in flight may have been sent later, or get the lock as its answer.
		if (current.isInFlight() || !takeClaim(current, effects)) {
			wakeUp(request, effects);
		}
	}

	/**
	 * Take the lock that a release has given to the head; return whether the head has it.
	 */
	private boolean takeClaim(AcquireAttempts current, AfterUnlock effects) {
		Waiter waiter = Objects.requireNonNull(head());
		Attempt given = current.takeClaim(waiter, spareTokens(current));
		if (given != null) {
			granted(current, given, new AcquireOutcome.Granted(given.claimedToken), this.queue.index.instance.now(),
					effects);
		}
		return given != null;
	}

	/**
	 * Return the failure that prevents the lock, if it is not just busy. A miss comes
	 * first.
	 */
	@Nullable LockStoreException failure() {
		LockStoreException miss = (this.attempts != null) ? this.attempts.miss() : null;
		return (miss != null) ? miss : this.lastWord.failure();
	}

	@Nullable Waiter head() {
		return this.head;
	}

	private boolean headTriesOnce() {
		return this.head != null && this.head.isOnce();
	}

	private void add(Waiter waiter) {
		if (this.head == null) {
			this.head = waiter;
		}
		else {
			this.behind = with(waiter, this.behind);
		}
	}

	private void addOnlooker(Waiter waiter) {
		this.onlookers = with(waiter, this.onlookers);
	}

	private static Set<Waiter> with(Waiter added, Set<Waiter> waiters) {
		Set<Waiter> grown = waiters.isEmpty() ? new LinkedHashSet<>() : waiters;
		grown.add(added);
		return grown;
	}

	/**
	 * Remove a waiter or onlooker.
	 * @return {@code true} if it was in the line
	 */
	private boolean remove(Waiter waiter) {
		if (waiter == this.head) {
			removeHead();
			return true;
		}
		return (!this.behind.isEmpty() && this.behind.remove(waiter))
				|| (!this.onlookers.isEmpty() && this.onlookers.remove(waiter));
	}

	private Waiter removeHead() {
		Waiter removed = Objects.requireNonNull(this.head);
		this.head = this.behind.isEmpty() ? null : removeFirst(this.behind);
		return removed;
	}

	/**
	 * Hand the lock off to the head without the store. There are no onlookers while it is
	 * held here.
	 * @param handOff returns the action that follows, or {@code null} if the store has to
	 * be asked
	 * @return {@code true} if the head has the lock
	 */
	boolean handOn(Function<Waiter, @Nullable Runnable> handOff, AfterUnlock effects) {
		Runnable handedOn = (this.head != null) ? handOff.apply(this.head) : null;
		if (handedOn == null) {
			return false;
		}
		removeHead();
		effects.add(handedOn);
		return true;
	}

	private void settleHead(Failure reason, AfterUnlock effects) {
		Waiter waiter = removeHead();
		effects.add(() -> waiter.settle(reason));
	}

	private void settleAll(Failure reason, AfterUnlock effects) {
		for (Waiter waiter : all()) {
			remove(waiter);
			effects.add(() -> waiter.settle(reason));
		}
	}

	private static Waiter removeFirst(Set<Waiter> waiters) {
		Waiter first = waiters.iterator().next();
		waiters.remove(first);
		return first;
	}

	private Set<Waiter> takeOnlookers() {
		Set<Waiter> taken = this.onlookers;
		this.onlookers = Set.of();
		return taken;
	}

	/** Make the first onlooker the head if only onlookers are left. */
	private void promoteOnlooker() {
		if (this.head == null && !this.onlookers.isEmpty()) {
			this.head = removeFirst(this.onlookers);
		}
	}

	/** Return the waiters, then the onlookers. */
	List<Waiter> all() {
		List<Waiter> all = new ArrayList<>();
		if (this.head != null) {
			all.add(this.head);
		}
		all.addAll(this.behind);
		all.addAll(this.onlookers);
		return all;
	}

}
