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
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * One lock, or one set of locks, of this instance: who holds it, who may enter it again,
 * and who waits for it. Each decision is made under the monitor of the queue, and what
 * follows from it is done afterwards. Where each caller has a place of its own in the
 * store, its queue is its own as well.
 */
final class KeyQueue implements GrantContext, Waiter.Place {

	final Queues queues;

	/** What tells the queues of one instance apart. */
	final String id;

	private final List<LockKey> keys;

	private final LockMode mode;

	/** The grant that holds the lock, or is about to be released. */
	@Nullable Grant held;

	/** The same of permits, which do not keep others from getting one. */
	private Set<Grant> permits = Set.of();

	@Nullable Contention contention;

	/** When the store last said something useful about this lock. */
	long answeredAt = Long.MIN_VALUE;

	private boolean dead;

	KeyQueue(Queues queues, String id, List<LockKey> keys, LockMode mode) {
		this.queues = queues;
		this.id = id;
		this.keys = keys;
		this.mode = mode;
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

	@Override
	public boolean isPlain() {
		return this.mode == LockMode.EXCLUSIVE && this.keys.size() == 1;
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
		decide((effects) -> {
			if (this.contention != null) {
				decision.accept(this.contention, effects);
			}
			return true;
		});
	}

	/**
	 * Enter the queue, or the lock if the owner has it already.
	 * @return false if this queue is not in use any more and a new one must be taken
	 */
	boolean enter(Waiter waiter) {
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

	@Override
	public synchronized Failure timeOutReason(Waiter waiter) {
		AcquireAttempts current = attempts();
		LockStoreException cause = (current != null) ? current.failure() : null;
		// An outage is never reported as a busy lock, and a busy lock never as an outage:
		// what counts is the last answer, and whether there was any since the waiter
		// came.
		if (cause == null && !waiter.isEntering() && (current == null || current.lastBusy != null
				|| waiter.storeAnswered || this.answeredAt >= waiter.startedAt)) {
			return busy(waiter);
		}
		return () -> Failure.noUsableAnswer(instance().store, this.keys, waiter.waited(instance().now()), cause);
	}

	private @Nullable AcquireAttempts attempts() {
		return (this.contention != null) ? this.contention.attempts : null;
	}

	Failure busy(Waiter waiter) {
		AcquireAttempts current = attempts();
		return this.queues.holders.busy(waiter, this.keys, this.held, (current != null) ? current.lastBusy : null);
	}

	@Override
	public boolean leave(Waiter waiter) {
		return decide((effects) -> this.contention != null && this.contention.leave(waiter, effects));
	}

	@Override
	public void ownersChanged() {
		contended(Contention::enterAgain);
	}

	/** The lock may have become free, if not {@code null} for this request only. */
	void wakeUp(@Nullable String request) {
		contended((waiting, effects) -> waiting.wakeUp(request, effects));
	}

	/** What the store has said is in doubt: it has to confirm what is held. */
	void doubted() {
		contended(Contention::doubted);
		allHeld().forEach((grant) -> grant.schedule(0));
	}

	/** Fail all waiters. */
	void close() {
		contended((waiting, effects) -> waiting.failAll(this::closed, effects));
	}

	private LockRegistryClosedException closed() {
		return new LockRegistryClosedException(this.keys.get(0).name(), LockKeys.text(this.keys));
	}

	/** A grant, which is valid by now, holds the lock for a waiter. */
	void granted(Grant granted, Waiter waiter, long sentAt, AfterUnlock effects) {
		this.answeredAt = granted.acquiredAt();
		GrantLease lease = granted.enter(waiter);
		this.queues.holds(granted);
		if (this.mode == LockMode.SEMAPHORE) {
			this.permits = this.permits.isEmpty() ? new LinkedHashSet<>() : this.permits;
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
		return (current != null && current.isHeld(instance().now())) ? current : null;
	}

	/** The grant that holds the lock, and all permits. */
	synchronized List<Grant> allHeld() {
		List<Grant> all = new ArrayList<>(this.permits);
		if (this.held != null) {
			all.add(this.held);
		}
		all.removeIf((grant) -> !grant.isHeld(instance().now()));
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
		lost.leases().forEach(GrantLease::lost);
		ended(lost, reason == LossReason.NOT_OWNER);
		this.queues.events.lost(lost, reason);
	}

	@Override
	public void released(Grant released, @Nullable LockStoreException failure) {
		ended(released, failure == null);
		this.queues.events.released(released, failure);
	}

	void ended(Grant ended, boolean confirmed) {
		this.queues.released(ended);
		synchronized (this) {
			this.answeredAt = confirmed ? instance().now() : this.answeredAt;
			if (this.held == ended) {
				this.held = null;
			}
			else if (!this.permits.isEmpty()) {
				this.permits.remove(ended);
			}
		}
		contended(Contention::contend);
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
	public void disowned(Grant disowned) {
		this.queues.disowned(disowned);
	}

	@Override
	public void wakeUpLines(boolean late) {
		this.queues.wakeUpLines(this, late);
	}

}
