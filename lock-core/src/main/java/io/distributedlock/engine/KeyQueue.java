package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.distributedlock.LockMode;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock, or of one set of locks, in this instance: its grant and its
 * waiters. The monitor of the queue guards all fields, and its line, attempts, claim and
 * turn. Its states are:
 * <ul>
 * <li>Free: no attempt, no contention, no held grant. It is dead and removed at once; a
 * caller that still comes to it takes a new queue.</li>
 * <li>{@code first}: one waiter attempts to get a free lock. After a success its grant is
 * held; any other event makes a {@code Contention} of it.</li>
 * <li>{@code contention}: the waiters in line. Only the head sends attempts, and none
 * while {@code held} is set.</li>
 * <li>{@code held}: a grant holds the lock or is about to be released. The permits of an
 * {@link OtherQueue} are kept apart and do not stop the head.</li>
 * </ul>
 * Callers, answers of the store, messages and the loop change the queue. Each decision is
 * made under the monitor, mostly by {@code decide} or {@code contended}. Its
 * {@link AfterUnlock effects} run after the monitor was left: commands, settled waiters,
 * user code. The only user code under it compares owners.
 * <p>
 * A decision never enters another queue: two monitors of queues are not held together. If
 * callers have waiter entries of their own in the store, each has a queue of its own.
 */
class KeyQueue implements GrantContext, Waiter.Place, Attempt.Asker {

	final Queues queues;

	private final LockKey key;

	/** The grant that holds the lock, or is about to be released. */
	@Nullable Grant held;

	/** The turn in which the lock was acquired last, if it is to be handed on. */
	private @Nullable Turn turn;

	/** The attempt of an only waiter, until it succeeds or anything else happens. */
	@Nullable Attempt first;

	@Nullable Contention contention;

	private boolean dead;

	/** Create the line of all exclusive requests for a single key. */
	KeyQueue(Queues queues, LockKey key) {
		this.queues = queues;
		this.key = key;
	}

	/** Return the id of this queue, unique within the instance. */
	String id() {
		return this.key.encoded();
	}

	@Override
	public Instance instance() {
		return this.queues.instance;
	}

	@Override
	public List<LockKey> keys() {
		return List.of(this.key);
	}

	@Override
	public LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	@Override
	public boolean isPlain() {
		return true;
	}

	@Override
	public void abandoned(Grant abandoned) {
		this.queues.ends(abandoned);
	}

	/** Return whether the lock, or a permit, is held or about to be released. */
	boolean isInUse() {
		return this.held != null;
	}

	/**
	 * Forget a lost grant, which blocks the lock no longer, even if its holder is not
	 * notified yet.
	 */
	private void forgetLost() {
		if (this.held != null && this.held.isLost()) {
			this.held = null;
		}
	}

	/** A grant holds the lock, and keeps others from it. */
	void keep(Grant granted) {
		this.held = granted;
	}

	/** A grant does not hold the lock any more. */
	void forget(Grant ended) {
		if (this.held == ended) {
			this.held = null;
		}
	}

	/**
	 * Hold the lock for a waiter.
	 * @return the effect to run outside the monitor
	 */
	Runnable hold(Attempt attempt, Waiter waiter, AcquireOutcome.Granted answer, long now) {
		Grant granted = attempt.grant;
		granted.ownedBy(waiter.owner, waiter.thread(), answer.token());
		granted.begin(waiter.terms, attempt.sentAt, now, attempt.validUntil());
		GrantLease lease = granted.enter(waiter);
		this.queues.holds(granted);
		keep(granted);
		this.turn = (attempt.spareTokens > 0) ? new Turn(attempt, answer) : null;
		return () -> this.queues.granted(lease, waiter, attempt.renewableFrom(), attempt.from());
	}

	/**
	 * Hand the lock on to a waiter, if it is still the turn of this instance.
	 * @return the effect to run outside the monitor; {@code null} if the lock has to be
	 * released instead
	 */
	@Nullable Runnable handOn(Grant left, Waiter waiter) {
		Turn current = this.turn;
		long now = instance().now();
		if (current == null || !current.goesOn(left, waiter.terms, now)) {
			return null;
		}
		Grant next = left.handOn(waiter, now);
		if (next == null) {
			return null;
		}
		current.handedOn(next);
		GrantLease lease = next.enter(waiter);
		keep(next);
		return () -> {
			this.queues.instance.loop.cancel(left);
			tellReleased(left, null);
			this.queues.granted(lease, waiter, next.confirmedAt, AcquiredFrom.THIS_INSTANCE);
		};
	}

	/**
	 * End the turn of this instance.
	 * @return the pause for other instances before the next turn, in nanoseconds
	 */
	synchronized long endTurn() {
		Turn ended = this.turn;
		this.turn = null;
		return (ended != null) ? ended.pause() : 0;
	}

	@Override
	public synchronized boolean readsInside(Grant writer) {
		endTurn();
		return writer.isHeld(instance().now());
	}

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant current = this.held;
		return (current != null && current.isHeld(instance().now())) ? current : null;
	}

	/** The grants that hold the lock. */
	List<Grant> allHeld() {
		Grant alone = held();
		return (alone != null) ? List.of(alone) : List.of();
	}

	/**
	 * Let a waiter enter the held lock if its owner has that lock.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	boolean enterAgain(Waiter waiter, AfterUnlock effects) {
		Grant current = waiter.terms.entersAgain(mode()) ? held() : null;
		try {
			if (current == null || current.holds() == 0 || !waiter.isOwnerOf(current)) {
				return false;
			}
		}
		catch (Throwable ex) {
			// The owner is an object of the user, and cannot be compared.
			effects.add(() -> waiter.settle(Failure.of(ex)));
			return true;
		}
		waiter.joined(this);
		this.queues.reentrance.enter(current, waiter, effects);
		return true;
	}

	@Override
	public void lost(Grant lost, LossReason reason) {
		LostRequest.end(lost);
		lost.leases().forEach(GrantLease::lost);
		ended(lost, reason == LossReason.NOT_OWNER);
		instance().counters.losses(reason).increment();
		this.queues.losses.add(lost, reason);
		this.queues.events.lost(lost, reason);
	}

	@Override
	public void released(Grant released, @Nullable LockStoreException failure) {
		released.releaseAnswered(failure);
		ended(released, failure == null);
		tellReleased(released, failure);
	}

	/**
	 * Publish a release. A failure is logged as well; otherwise only a listener needs it.
	 */
	private void tellReleased(Grant released, @Nullable LockStoreException failure) {
		if (failure != null || this.queues.events.listening) {
			this.queues.events.released(released, failure);
		}
	}

	@Override
	public void due(Grant due, long now) {
		this.queues.renewals.due(due, now);
	}

	@Override
	public CompletableFuture<Void> confirm(Grant doubted) {
		return this.queues.renewals.confirm(List.of(doubted));
	}

	@Override
	public CompletableFuture<@Nullable LockStoreException> extend(Grant held, Duration ttl,
			@Nullable Duration keepFor) {
		return new Extend(this.queues.renewals, held, ttl, keepFor).start();
	}

	@Override
	public void disowned(Grant disowned) {
		this.queues.disowned(disowned);
	}

	@Override
	public void wakeUpLines(boolean late) {
		this.queues.wakeUpLines(this, late);
	}

	@Override
	public Grant newGrant(@Nullable Grant before, LockTerms terms) {
		Grant next = new Grant(this, before, terms);
		this.queues.begins(next, this);
		return next;
	}

	/** Make a decision, retire the queue if it is unused, and run the effects. */
	private boolean decide(Predicate<AfterUnlock> decision) {
		AfterUnlock effects = new AfterUnlock();
		boolean decided;
		synchronized (this) {
			decided = decision.test(effects);
			retireIfUnused();
		}
		effects.run();
		return decided;
	}

	private void retireIfUnused() {
		if (this.contention != null && this.contention.isEmpty()) {
			this.contention = null;
		}
		if (isFree()) {
			this.dead = true;
			this.queues.remove(this);
		}
	}

	private boolean isFree() {
		return !this.dead && this.first == null && this.contention == null && !isInUse();
	}

	/** Make a decision about the waiters, if there are any. */
	void contended(BiConsumer<Contention, AfterUnlock> decision) {
		decide((effects) -> {
			Contention waiting = contention();
			if (waiting != null) {
				decision.accept(waiting, effects);
			}
			return true;
		});
	}

	private @Nullable Contention contention() {
		Attempt begun = this.first;
		if (begun != null) {
			this.first = null;
			this.contention = new Contention(this, begun);
		}
		return this.contention;
	}

	/**
	 * Enter the queue, or the lock if the owner has it already.
	 * @return false if this queue is not in use any more and a new one must be taken
	 */
	boolean enter(Waiter waiter) {
		Attempt alone = enterFree(waiter);
		if (alone != null) {
			alone.run();
			waiter.watch();
			return true;
		}
		boolean alive = decide((effects) -> {
			if (this.dead) {
				return false;
			}
			waiter.joined(this);
			if (!enterAgain(waiter, effects)) {
				join(waiter, effects);
			}
			return true;
		});
		waiter.watch();
		return alive;
	}

	/** Enter a free queue. An only waiter makes an attempt and nothing else. */
	private synchronized @Nullable Attempt enterFree(Waiter waiter) {
		if (isFree() && isPlain() && !instance().isClosed()) {
			waiter.joined(this);
			this.first = new Attempt(this, newGrant(null, waiter.terms), waiter, true,
					waiter.isOnce() ? Duration.ZERO : instance().entryTtl, 0);
			return this.first;
		}
		return null;
	}

	private void join(Waiter waiter, AfterUnlock effects) {
		if (instance().isClosed()) {
			effects.add(() -> waiter.settle(this::closed));
			return;
		}
		forgetLost();
		Contention waiting = contention();
		if (waiting == null) {
			waiting = new Contention(this);
			this.contention = waiting;
		}
		waiting.join(waiter, effects);
	}

	@Override
	public synchronized Failure timeOutReason(Waiter waiter) {
		Contention waiting = contention();
		AcquireAttempts current = attempts();
		LockStoreException cause = (current != null) ? current.failure() : null;
		// An outage is never reported as a busy lock, nor a busy lock as an outage. The
		// lock is busy if the last answer is no failure and one has come since the waiter
		// came, or if the store is not asked because another instance is let in.
		if (cause == null && !waiter.isEntering()
				&& (current == null || current.lastBusy != null || !current.isAttempted() || waiter.storeAnswered
						|| (waiting != null && waiting.isAnsweredSince(waiter.startedAt)))) {
			return busy(waiter);
		}
		return () -> Failure.noUsableAnswer(instance().store, keys(), waiter.waited(instance().now()), cause);
	}

	private @Nullable AcquireAttempts attempts() {
		Contention waiting = contention();
		return (waiting != null) ? waiting.attempts : null;
	}

	Failure busy(Waiter waiter) {
		AcquireAttempts current = attempts();
		return this.queues.holders.busy(waiter, keys(), this.held, (current != null) ? current.lastBusy : null);
	}

	@Override
	public boolean leave(Waiter waiter) {
		return decide((effects) -> {
			Contention waiting = contention();
			return waiting != null && waiting.leave(waiter, effects);
		});
	}

	@Override
	public void ownersChanged() {
		this.queues.ownersChanged(keys());
	}

	synchronized List<Waiter> waiting() {
		Attempt alone = this.first;
		return (alone != null) ? List.of(alone.head) : (this.contention != null) ? this.contention.all() : List.of();
	}

	/**
	 * Wake up the head: the lock may have become free, for this request or, if
	 * {@code null}, for any.
	 */
	void wakeUp(@Nullable String request) {
		contended((waiting, effects) -> waiting.wakeUp(request, effects));
	}

	/** Wake-ups may not arrive from here on. */
	void wakeUpsLost() {
		contended((waiting, effects) -> waiting.wakeUpsLost());
	}

	/**
	 * A release has given the lock to a request.
	 * @return false if the request was dropped here without an end
	 */
	boolean claimed(String request, long token) {
		return decide((effects) -> {
			Contention waiting = contention();
			return waiting == null || waiting.claimed(request, token, effects);
		});
	}

	/**
	 * Have the store confirm grants, held or contended for, because it may have ended
	 * them.
	 * @param request the only request, {@code null} for all
	 * @return the held grants among them
	 */
	synchronized List<Grant> ask(@Nullable String request) {
		long now = instance().now();
		List<Grant> held = new ArrayList<>();
		// Without lambdas, whose classes would be loaded in the first contended call.
		for (Grant grant : allHeld()) {
			if (grant.isOf(request)) {
				grant.ask(now);
				held.add(grant);
			}
		}
		AcquireAttempts current = (this.contention != null) ? this.contention.attempts : null;
		Grant wanted = (this.first != null) ? this.first.grant : (current != null) ? current.grant() : null;
		if (wanted != null && wanted.isOf(request)) {
			wanted.ask(now);
		}
		return held;
	}

	@Override
	public synchronized boolean isAwaited() {
		return this.held != null && this.contention != null && this.contention.head() != null;
	}

	/** Doubt the answers of the store: it has to confirm the held grants. */
	void doubted() {
		contended(Contention::doubted);
		allHeld().forEach((grant) -> grant.renewAt(0));
	}

	/** Fail all waiters. */
	void close() {
		contended((waiting, effects) -> waiting.failAll(this::closed, effects));
	}

	private LockRegistryClosedException closed() {
		return new LockRegistryClosedException(keys().get(0).name(), LockKeys.text(keys()));
	}

	@Override
	public void alarm(Grant contended, long now) {
		contended((waiting, effects) -> waiting.alarm(contended, now, effects));
	}

	@Override
	public @Nullable RequestId beside(Object reader) {
		return this.queues.reentrance.beside(keys(), reader);
	}

	@Override
	public synchronized boolean expects(Attempt attempt) {
		return this.first == attempt || (this.contention != null && this.contention.attempts != null
				&& this.contention.attempts.expects(attempt));
	}

	@Override
	public synchronized void waits(Attempt attempt) {
		if (this.first == attempt && attempt.answer == null) {
			instance().loop.schedule(attempt.grant, attempt.overdueAt);
		}
		else if (this.contention != null && this.contention.attempts != null) {
			this.contention.attempts.waits(attempt);
		}
	}

	@Override
	public synchronized void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer) {
		attempt.answer = answer;
		if (this.first == attempt) {
			instance().loop.schedule(attempt.grant, attempt.overdueAt);
		}
		else if (this.contention != null && this.contention.attempts != null) {
			this.contention.attempts.awaiting(attempt, answer);
		}
	}

	@Override
	public void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		Runnable granted = (outcome instanceof AcquireOutcome.Granted given) ? holdFirst(attempt, given) : null;
		if (granted != null) {
			granted.run();
		}
		else {
			this.queues.names.met(outcome);
			contended((waiting, effects) -> waiting.answered(attempt, outcome, ex, effects));
		}
	}

	private synchronized @Nullable Runnable holdFirst(Attempt attempt, AcquireOutcome.Granted answer) {
		long now = instance().now();
		if (this.first != attempt || attempt.grant.isInDoubt() || now >= attempt.validUntil()) {
			return null;
		}
		this.first = null;
		return hold(attempt, attempt.head, answer, now);
	}

	@Override
	public CompletableFuture<Void> release(Grant closed) {
		return handOn(closed) ? GrantLease.DONE : EndCommand.release(closed);
	}

	/**
	 * Hand the lock on to the next caller of this instance; return whether it has got it.
	 */
	private boolean handOn(Grant closed) {
		return this.contention != null && decide((effects) -> {
			Contention waiting = contention();
			boolean handedOn = waiting != null && waiting.handOn((next) -> handOn(closed, next), effects);
			if (handedOn && isAwaited()) {
				Objects.requireNonNull(this.held).askLater();
			}
			return handedOn;
		});
	}

	@Override
	public boolean enterPart(Waiter waiter) {
		boolean entered = decide((effects) -> enterAgain(waiter, effects));
		waiter.watch();
		return entered;
	}

	/**
	 * A grant does not hold the lock any more.
	 * @param confirmed {@code true} if the store has confirmed that
	 */
	void ended(Grant ended, boolean confirmed) {
		this.queues.released(ended);
		synchronized (this) {
			if (confirmed && this.contention != null) {
				this.contention.storeAnswered(instance().now());
			}
			forget(ended);
			retireIfUnused();
			if (this.dead) {
				return;
			}
		}
		contended(Contention::contend);
	}

}
