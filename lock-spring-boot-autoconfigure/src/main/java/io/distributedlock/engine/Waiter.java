package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.distributedlock.engine.timer.HeapTimer;
import io.distributedlock.store.CallerThread;
import org.jspecify.annotations.Nullable;

/**
 * One caller who wants a lock, settled exactly once, with a lease or with a reason. Its
 * timer is the end of its budget.
 */
final class Waiter extends HeapTimer {

	/** A deadline that never comes. */
	static final long FOREVER = Long.MAX_VALUE;

	private static final AtomicReferenceFieldUpdater<Waiter, Object> OUTCOME = AtomicReferenceFieldUpdater
		.newUpdater(Waiter.class, Object.class, "outcome");

	private final Instance instance;

	final LockKeys keys;

	final LockTerms terms;

	final @Nullable Object owner;

	final long startedAt;

	/** The end of the budget; not used where the waiter tries only once. */
	final long deadline;

	final boolean once;

	/** The store has answered for an earlier key of the same request. */
	final boolean storeAnswered;

	private final @Nullable Thread thread;

	private final @Nullable BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback;

	private volatile @Nullable Object outcome;

	private volatile @Nullable Place place;

	private volatile @Nullable GrantLease enteringLease;

	/** The line that this waiter stands in, and its neighbours; guarded by the queue. */
	@Nullable WaitingLine line;

	@Nullable Waiter previous;

	@Nullable Waiter next;

	/**
	 * Create a waiter.
	 * @param callback told on the thread that brings the news, so it must not block;
	 * {@code null} where the calling thread waits itself
	 */
	Waiter(Instance instance, LockKeys keys, LockTerms terms, @Nullable Object owner, WaitBudget budget,
			@Nullable BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback) {
		this.instance = instance;
		this.keys = keys;
		this.terms = terms;
		this.owner = owner;
		this.startedAt = budget.startedAt();
		this.deadline = budget.deadline();
		this.once = budget.isOnce();
		this.storeAnswered = budget.storeAnswered();
		this.callback = callback;
		this.thread = (callback == null) ? Thread.currentThread() : null;
	}

	/** The thread that waits, {@code null} where none does. */
	@Nullable Thread thread() {
		return this.thread;
	}

	/** Send a command, maybe on this thread if it is the one that waits. */
	<T> T lendThread(long patience, Supplier<T> command) {
		if (!this.instance.offer.wantsThreads() || this.thread != Thread.currentThread()) {
			return command.get();
		}
		boolean limited = !this.once && this.deadline != FOREVER;
		return CallerThread.lend(limited ? Math.min(patience, this.deadline - this.instance.now()) : patience, command);
	}

	void joined(Place place) {
		this.place = place;
	}

	boolean isOwnerOf(Grant grant) {
		return grant.isOwnedBy(this.owner);
	}

	/** It has entered a lock again and waits only for a longer lease. */
	void entering(GrantLease lease) {
		this.enteringLease = lease;
	}

	boolean isEntering() {
		return this.enteringLease != null;
	}

	/** Give up. If this fails, the waiter is settled by then, or will be at once. */
	boolean giveUp(Failure reason) {
		Place joined = this.place;
		if (joined != null && joined.leave(this)) {
			return settle(reason);
		}
		GrantLease entered = this.enteringLease;
		if (entered != null && settle(reason)) {
			entered.drop();
			return true;
		}
		return false;
	}

	/**
	 * Let the waiter have its lease; one that has given up meanwhile does not take it.
	 */
	boolean settle(GrantLease lease) {
		return settleOnce(lease);
	}

	boolean settle(Failure failure) {
		return settleOnce(failure);
	}

	private boolean settleOnce(Object settlement) {
		if (!OUTCOME.compareAndSet(this, null, settlement)) {
			return false;
		}
		this.instance.loop.cancel(this);
		if (this.callback != null) {
			tell(this.callback, settlement);
		}
		else {
			LockSupport.unpark(this.thread);
		}
		return true;
	}

	private static void tell(BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback, Object settlement) {
		if (settlement instanceof GrantLease lease) {
			callback.accept(lease, null);
		}
		else {
			callback.accept(null, reason((Failure) settlement));
		}
	}

	/** An error on the way to the exception is a reason as well. */
	private static Throwable reason(Failure failure) {
		try {
			return failure.get();
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	boolean isSettled() {
		return this.outcome != null;
	}

	/** Take the lease; a waiter that has given up meanwhile drops it. */
	void take(GrantLease lease) {
		if (!settle(lease)) {
			lease.drop();
		}
	}

	/** Set the timer to the end of the budget, if there is one. */
	void watch() {
		if (this.deadline != FOREVER && !this.once) {
			endAt(this.deadline);
		}
	}

	/** Set the timer, unless there is nothing to wait for any more. */
	void endAt(long time) {
		if (!isSettled()) {
			this.instance.loop.schedule(this, time);
			if (isSettled()) {
				this.instance.loop.cancel(this);
			}
		}
	}

	/** The budget is used up. */
	@Override
	public void fire(long now) {
		Place joined = this.place;
		if (joined != null) {
			giveUp(joined.timeOutReason(this));
		}
	}

	Duration waited(long now) {
		return Duration.ofNanos(Math.max(0, now - this.startedAt));
	}

	/**
	 * Block until settled.
	 * @param interruptible whether an interrupt ends the wait
	 * @return the lease
	 * @throws InterruptedException if interrupted; nothing is left behind
	 */
	GrantLease await(boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		try {
			while (this.outcome == null) {
				LockSupport.park(this);
				if (Thread.interrupted()) {
					interrupted = true;
					if (interruptible) {
						throw interrupted();
					}
				}
			}
			return result();
		}
		finally {
			if (interrupted && !interruptible) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private InterruptedException interrupted() {
		dismiss();
		return new InterruptedException("Interrupted while waiting for lock '" + this.keys.describe() + "'");
	}

	void dismiss() {
		dismiss(() -> new IllegalStateException("The waiter has given up"));
	}

	/** Leave nothing behind: neither a place in the queue nor a lease. */
	void dismiss(Failure reason) {
		Place joined = this.place;
		if (joined != null) {
			joined.leave(this);
		}
		GrantLease got = settle(reason) ? this.enteringLease : this.outcome instanceof GrantLease lease ? lease : null;
		if (got != null) {
			// A caller that asks all the same does not get a lease that was dropped.
			OUTCOME.compareAndSet(this, got, reason);
			got.drop();
		}
	}

	private GrantLease result() {
		if (this.outcome instanceof GrantLease lease) {
			return lease;
		}
		if (this.outcome instanceof Failure failure) {
			throw failure.get();
		}
		throw new IllegalStateException("Unexpected outcome " + this.outcome);
	}

	/** The queue that a waiter has joined. */
	interface Place {

		/**
		 * Leave the queue.
		 * @return false if the waiter has been served
		 */
		boolean leave(Waiter waiter);

		/** Why a waiter gets nothing whose budget is used up. */
		Failure timeOutReason(Waiter waiter);

	}

}
