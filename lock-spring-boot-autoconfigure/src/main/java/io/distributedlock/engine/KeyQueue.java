package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.distributedlock.LockMode;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * One lock, or one set of locks, of this instance: who holds it, who may enter it again,
 * and who waits for it. Each decision is made under the monitor of the queue, and what
 * follows from it is done afterwards. Where each caller has a place of its own in the
 * store, its queue is its own as well.
 */
final class KeyQueue implements GrantContext, Waiter.Place {

	/** More nested holds of one owner are a recursion that will not end well. */
	static final int MAX_HOLDS = 1 << 16;

	final Queues queues;

	private final String id;

	private final List<LockKey> keys;

	private final LockMode mode;

	/** The grant that holds the lock, or is about to be released. */
	private @Nullable Grant held;

	/** The same of permits, which do not keep others from getting one. */
	private Set<Grant> permits = Set.of();

	@Nullable Contention contention;

	/** When the store last said something useful about this lock. */
	private long answeredAt = Long.MIN_VALUE;

	private boolean dead;

	KeyQueue(Queues queues, String id, List<LockKey> keys, LockMode mode) {
		this.queues = queues;
		this.id = id;
		this.keys = keys;
		this.mode = mode;
	}

	/** What tells the queues of one instance apart. */
	String id() {
		return this.id;
	}

	@Override
	public Instance instance() {
		return this.queues.instance;
	}

	@Override
	public List<LockKey> keys() {
		return this.keys;
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	private long now() {
		return this.queues.instance.now();
	}

	/** Decide something, do what follows, and give the queue up unless it is needed. */
	private boolean decide(Predicate<AfterUnlock> decision) {
		AfterUnlock effects = new AfterUnlock();
		boolean decided;
		synchronized (this) {
			decided = decision.test(effects);
			if (this.contention != null && this.contention.isEmpty()) {
				this.contention = null;
			}
			if (!this.dead && this.contention == null && this.held == null && this.permits.isEmpty()) {
				this.dead = true;
				this.queues.remove(this);
			}
		}
		effects.run();
		return decided;
	}

	/** Decide something about those who wait, if any do. */
	void contended(BiConsumer<Contention, AfterUnlock> decision) {
		decide((effects) -> ifContended(decision, effects));
	}

	private boolean ifContended(BiConsumer<Contention, AfterUnlock> decision, AfterUnlock effects) {
		if (this.contention != null) {
			decision.accept(this.contention, effects);
		}
		return true;
	}

	/**
	 * Enter the queue, or the lock if the owner has it already.
	 * @return false if this queue is not in use any more and a new one must be taken
	 */
	boolean enter(Waiter waiter) {
		boolean alive = decide((effects) -> !this.dead && enter(waiter, effects));
		waiter.watch();
		return alive;
	}

	private boolean enter(Waiter waiter, AfterUnlock effects) {
		waiter.joined(this);
		if (!enterAgain(waiter, effects)) {
			join(waiter, effects);
		}
		return true;
	}

	private void join(Waiter waiter, AfterUnlock effects) {
		if (instance().quiescence.isClosed()) {
			effects.add(() -> waiter.settle(this::closed));
			return;
		}
		if (this.held != null && this.held.isLost()) {
			this.held = null;
		}
		if (this.contention == null) {
			this.contention = new Contention(this);
		}
		this.contention.join(waiter, effects);
	}

	/** Whether the lock is held or about to be released; permits aside. */
	boolean isTaken() {
		return this.held != null;
	}

	@Override
	public synchronized Failure timeOutReason(Waiter waiter) {
		AcquireAttempts current = attempts();
		LockStoreException cause = (current != null) ? current.failure() : null;
		// An outage is never reported as a busy lock, and a busy lock never as an outage:
		// what counts is the last answer, and whether there was any since the waiter
		// came.
		if (cause == null && !waiter.isEntering() && (current == null || current.lastBusy() != null
				|| waiter.storeAnswered || this.answeredAt >= waiter.startedAt)) {
			return busy(waiter);
		}
		return () -> Failure.noUsableAnswer(instance().store, this.keys, waiter.waited(now()), cause);
	}

	private @Nullable AcquireAttempts attempts() {
		return (this.contention != null) ? this.contention.attempts() : null;
	}

	Failure busy(Waiter waiter) {
		Grant here = this.held;
		AcquireAttempts current = attempts();
		AcquireOutcome.Busy last = (current != null) ? current.lastBusy() : null;
		LockKey key = this.keys.get((last != null) ? last.index() : 0);
		return () -> this.queues.holders.busy(waiter, key, here, last);
	}

	@Override
	public boolean leave(Waiter waiter) {
		return decide((effects) -> this.contention != null && this.contention.leave(waiter, effects));
	}

	@Override
	public void ownersChanged() {
		contended(Contention::enterAgain);
	}

	/**
	 * The lock may have become free, maybe for one request only.
	 * @param request the request, or {@code null} for any
	 */
	void wakeUp(@Nullable String request) {
		contended((waiting, effects) -> waiting.wakeUp(request, effects));
	}

	/** What the store has said is in doubt: it has to confirm what is held. */
	void doubted() {
		decide((effects) -> {
			allHeld().forEach((grant) -> effects.add(() -> grant.schedule(0)));
			return ifContended(Contention::doubted, effects);
		});
	}

	/** Fail all waiters. */
	void close() {
		contended((waiting, effects) -> waiting.failAll(this::closed, effects));
	}

	private LockRegistryClosedException closed() {
		return new LockRegistryClosedException(this.keys.get(0).name(), LockKeys.text(this.keys));
	}

	/** A new grant to contend for, in the place of another one if there was one. */
	Grant newGrant(@Nullable Grant before, LockTerms terms) {
		Grant next = new Grant(this, before, terms);
		this.queues.begins(next, this);
		return next;
	}

	/** A request is not contended for any more. */
	void abandon(Grant grant) {
		this.queues.ends(grant);
		grant.end();
	}

	/** The store has confirmed that the lock is busy, or free, or had by a caller. */
	void answeredAt(long now) {
		this.answeredAt = now;
	}

	/** A grant, which is valid by now, holds the lock for a waiter. */
	void granted(Grant granted, Waiter waiter, long sentAt, AfterUnlock effects) {
		GrantLease lease = granted.enter(waiter);
		this.queues.holds(granted);
		if (this.mode == LockMode.SEMAPHORE) {
			if (this.permits.isEmpty()) {
				this.permits = new LinkedHashSet<>();
			}
			this.permits.add(granted);
		}
		else {
			this.held = granted;
		}
		effects.add(() -> this.queues.granted(granted, lease, waiter, sentAt));
	}

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant current = this.held;
		return (current != null && current.isHeld(now())) ? current : null;
	}

	/** The grant that holds the lock, and all permits. */
	synchronized List<Grant> allHeld() {
		List<Grant> all = new ArrayList<>(this.permits);
		if (this.held != null) {
			all.add(this.held);
		}
		all.removeIf((grant) -> !grant.isHeld(now()));
		return all;
	}

	@Override
	public boolean enterPart(Waiter waiter) {
		boolean entered = decide((effects) -> enterAgain(waiter, effects));
		waiter.watch();
		return entered;
	}

	/**
	 * Enter what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterAgain(Waiter waiter, AfterUnlock effects) {
		Grant current = waiter.terms.entersAgain(this.mode) ? held() : null;
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
		List<GrantLease> told;
		synchronized (this) {
			told = lost.leases();
		}
		told.forEach(GrantLease::lost);
		ended(lost, reason == LossReason.NOT_OWNER);
		this.queues.events.lost(lost, reason);
	}

	@Override
	public void ended(Grant ended, boolean confirmed) {
		this.queues.released(ended);
		decide((effects) -> {
			if (confirmed) {
				answeredAt(now());
			}
			if (this.held == ended) {
				this.held = null;
			}
			else if (!this.permits.isEmpty()) {
				this.permits.remove(ended);
			}
			return ifContended(Contention::contend, effects);
		});
	}

	@Override
	public void due(Grant due, long now) {
		this.queues.renewals.due(due, now);
	}

	@Override
	public CompletableFuture<Void> confirm(Grant doubted) {
		return this.queues.renewals.confirm(doubted);
	}

	@Override
	public CompletableFuture<Void> release(Grant closed) {
		return this.queues.releases.release(closed);
	}

	@Override
	public synchronized void disown(GrantLease lease) {
		Grant grant = lease.grant();
		if (!grant.hasOwnedLease()) {
			this.queues.disowned(grant);
			grant.disown();
		}
	}

	@Override
	public void wakeUpLines() {
		this.queues.wakeUpLines(this.keys);
	}

	@Override
	public void wakeUpOverlapping() {
		this.queues.wakeUpOverlapping(this);
	}

}
