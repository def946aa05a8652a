package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A caller who wants a lock. It is settled exactly once, with a lease or with a reason.
 * The timer is the end of its budget.
 */
final class Waiter extends HeapTimer {

	/** A deadline that never comes. */
	static final long FOREVER = Long.MAX_VALUE;

	private static final AtomicReferenceFieldUpdater<Waiter, Object> OUTCOME = AtomicReferenceFieldUpdater
		.newUpdater(Waiter.class, Object.class, "outcome");

	private final Instance instance;

	final List<LockKey> keys;

	final LockTerms terms;

	final @Nullable Object owner;

	final long startedAt;

	/** The end of the budget; the start for a waiter that attempts only once. */
	final long deadline;

	/** The store has answered for an earlier key of the same request. */
	boolean storeAnswered;

	private @Nullable Thread thread = Thread.currentThread();

	/**
	 * {@code true} once the thread that waits has sent a command. Confined to that
	 * thread.
	 */
	private boolean asked;

	private @Nullable BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback;

	private volatile @Nullable Object outcome;

	private volatile @Nullable Place place;

	private volatile @Nullable GrantLease enteringLease;

	/**
	 * Create a waiter for which the calling thread waits.
	 * @param deadline when it gives up; the time of the start to attempt once
	 */
	Waiter(Instance instance, List<LockKey> keys, LockTerms terms, @Nullable Object owner, long startedAt,
			long deadline) {
		this.instance = instance;
		this.keys = keys;
		this.terms = terms;
		this.owner = owner;
		this.startedAt = startedAt;
		this.deadline = deadline;
	}

	/**
	 * Return the end of a budget that starts now; {@code null} is a budget without an
	 * end.
	 */
	static long deadline(long now, @Nullable Duration wait) {
		return (wait == null) ? FOREVER : now + LockTerms.saturatedNanos(wait);
	}

	/**
	 * Call back instead of letting a thread wait.
	 * @param callback called on the thread that brings the answer, so it must not block
	 */
	Waiter telling(BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback) {
		this.callback = callback;
		this.thread = null;
		return this;
	}

	boolean isOnce() {
		return this.deadline == this.startedAt;
	}

	/** Return the thread that waits, or {@code null} if none does. */
	@Nullable Thread thread() {
		return this.thread;
	}

	/** Send a command, maybe on this thread if it is the one that waits. */
	<T> T lendThread(long patience, Supplier<T> command) {
		this.asked |= this.thread == Thread.currentThread();
		if (!this.instance.lendsThreads || this.thread != Thread.currentThread()) {
			return command.get();
		}
		boolean limited = !isOnce() && this.deadline != FOREVER;
		return CallerThread.lend(limited ? Math.min(patience, this.deadline - this.instance.now()) : patience, command);
	}

	void joined(Place place) {
		this.place = place;
	}

	boolean isOwnerOf(Grant grant) {
		return LeaseChain.mayEnter(this.owner, grant.owner());
	}

	/**
	 * Record that it has entered a lock again, and waits for a longer or confirmed lease.
	 */
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

	/** Settle with a lease; return false if the waiter has given up meanwhile. */
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

	/**
	 * Return the exception of a failure. An error while it is made is a reason as well.
	 */
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

	/** Settle with a lease, which is dropped if the waiter has given up meanwhile. */
	void take(GrantLease lease) {
		if (!settle(lease)) {
			lease.drop();
		}
	}

	/** Set the timer to the end of the budget, if there is one. */
	void watch() {
		if (this.deadline != FOREVER && !isOnce()) {
			endAt(this.deadline);
		}
	}

	/** Set the timer, unless the waiter is settled. */
	void endAt(long time) {
		if (!isSettled()) {
			this.instance.loop.schedule(this, time);
			if (isSettled()) {
				this.instance.loop.cancel(this);
			}
		}
	}

	/** Give up, since the budget is used up. */
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
	 * Block until settled. A thread on which answers come is refused, even if another
	 * thread brings this answer.
	 * @param interruptible {@code true} if an interrupt ends the wait
	 * @return the lease
	 * @throws InterruptedException if interrupted; nothing is left behind
	 */
	GrantLease await(boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		if ((this.asked || this.outcome == null) && this.instance.isAnsweredHere()) {
			dismiss(() -> Failure.answeredHere("wait for", this.keys));
		}
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
		return new InterruptedException("Interrupted while waiting for lock '" + LockKeys.describe(this.keys) + "'");
	}

	void dismiss() {
		dismiss(() -> new IllegalStateException("The waiter has given up"));
	}

	/** Leave nothing behind: neither an entry in the queue nor a lease. */
	void dismiss(Failure reason) {
		Place joined = this.place;
		if (joined != null) {
			joined.leave(this);
		}
		GrantLease got = settle(reason) ? this.enteringLease : this.outcome instanceof GrantLease lease ? lease : null;
		if (got != null) {
			// A caller that still waits for the result does not get a lease that was
			// dropped.
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

		/** Return the reason why a waiter gets nothing once its budget is used up. */
		Failure timeOutReason(Waiter waiter);

	}

}
