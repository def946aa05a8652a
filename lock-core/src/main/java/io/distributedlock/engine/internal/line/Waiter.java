package io.distributedlock.engine.internal.line;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A caller who wants a lock. It is settled exactly once, with a hold of a grant or with a
 * reason. Thread-safe.
 */
public final class Waiter {

	/** A deadline that never comes. */
	public static final long FOREVER = Long.MAX_VALUE;

	private static final AtomicReferenceFieldUpdater<Waiter, Object> OUTCOME = AtomicReferenceFieldUpdater
		.newUpdater(Waiter.class, Object.class, "outcome");

	private static final AtomicReferenceFieldUpdater<Waiter, HeapTimer> TIMER = AtomicReferenceFieldUpdater
		.newUpdater(Waiter.class, HeapTimer.class, "timer");

	private final Instance instance;

	public final List<LockKey> keys;

	public final LockTerms terms;

	final @Nullable Object owner;

	public final long startedAt;

	/** The end of the budget; the start for a waiter that attempts only once. */
	public final long deadline;

	/** The store has answered for an earlier key of the same request. */
	boolean storeAnswered;

	private @Nullable Thread thread = Thread.currentThread();

	/**
	 * {@code true} once the thread that waits has sent a command. Confined to that
	 * thread.
	 */
	private boolean asked;

	private @Nullable BiConsumer<@Nullable Hold, @Nullable Throwable> callback;

	private volatile @Nullable Object outcome;

	/** The queue that it has joined last. */
	volatile @Nullable KeyQueue place;

	/** The lock that it has entered again, and for which it waits to be confirmed. */
	private volatile @Nullable Hold entered;

	/** The end of its budget, once it is watched. */
	private volatile @Nullable HeapTimer timer;

	/**
	 * Create a waiter for which the calling thread waits.
	 * @param deadline when it gives up; the time of the start to attempt once
	 */
	public Waiter(Instance instance, List<LockKey> keys, LockTerms terms, @Nullable Object owner, long startedAt,
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
	public static long deadline(long now, @Nullable Duration wait) {
		return (wait == null) ? FOREVER : now + LockTerms.saturatedNanos(wait);
	}

	/** Return the end of the budget of some terms that starts now. */
	public static long deadline(long now, LockTerms terms) {
		return (terms.waitFor == null) ? FOREVER : now + terms.waitNanos;
	}

	/**
	 * Call back instead of letting a thread wait.
	 * @param callback called on the thread that brings the answer, so it must not block
	 */
	public Waiter telling(BiConsumer<@Nullable Hold, @Nullable Throwable> callback) {
		this.callback = callback;
		this.thread = null;
		return this;
	}

	/** Record that the store has answered for an earlier key of the same request. */
	public void storeAnswered() {
		this.storeAnswered = true;
	}

	boolean isOnce() {
		return this.deadline == this.startedAt;
	}

	/** Return the thread that waits, or {@code null} if none does. */
	public @Nullable Thread thread() {
		return this.thread;
	}

	/**
	 * Return whether this is the thread that waits, and may do the input and output of a
	 * command. Called before one is sent.
	 */
	boolean lends() {
		boolean own = this.thread == Thread.currentThread();
		this.asked |= own;
		return own && this.instance.lendsThreads;
	}

	/** Send a command on this thread, which is the one that waits. */
	<T> T lendThread(long patience, Supplier<T> command) {
		boolean limited = !isOnce() && this.deadline != FOREVER;
		return CallerThread.lend(limited ? Math.min(patience, this.deadline - this.instance.now()) : patience, command);
	}

	/**
	 * Record that it has entered a lock again, and waits for a longer or confirmed lease.
	 */
	public void entering(Hold hold) {
		this.entered = hold;
	}

	@Nullable Hold entered() {
		return this.entered;
	}

	boolean isEntering() {
		return this.entered != null;
	}

	/** Settle with a hold; return false if the waiter has given up meanwhile. */
	public boolean settle(Hold hold) {
		return settleOnce(hold);
	}

	public boolean settle(Failure failure) {
		return settleOnce(failure);
	}

	private boolean settleOnce(Object settlement) {
		if (!OUTCOME.compareAndSet(this, null, settlement)) {
			return false;
		}
		HeapTimer set = this.timer;
		if (set != null) {
			this.instance.timers.cancel(set);
		}
		if (this.callback != null) {
			tell(this.callback, settlement);
		}
		else {
			LockSupport.unpark(this.thread);
		}
		return true;
	}

	private static void tell(BiConsumer<@Nullable Hold, @Nullable Throwable> callback, Object settlement) {
		if (settlement instanceof Hold hold) {
			callback.accept(hold, null);
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

	public boolean isSettled() {
		return this.outcome != null;
	}

	/**
	 * Set the timer, unless it is settled.
	 * @param budget the timer, if it has none yet
	 */
	public void watch(HeapTimer budget, long end) {
		HeapTimer set = TIMER.compareAndSet(this, null, budget) ? budget : this.timer;
		if (set != null) {
			this.instance.timers.schedule(set, end);
			if (isSettled()) {
				this.instance.timers.cancel(set);
			}
		}
	}

	public Duration waited(long now) {
		return Duration.ofNanos(Math.max(0, now - this.startedAt));
	}

	/**
	 * Return whether the calling thread would wait for an answer that comes on it, even
	 * if another thread brings this answer.
	 */
	boolean wouldWaitForItself() {
		return (this.asked || this.outcome == null) && this.instance.isAnsweredHere();
	}

	/**
	 * Block until settled.
	 * @return false if the calling thread was interrupted before
	 */
	boolean park() {
		while (this.outcome == null) {
			LockSupport.park(this);
			if (Thread.interrupted()) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Withdraw the hold of a settled waiter: a caller that still waits for the result
	 * does not get it.
	 * @return the hold to drop, if there was one
	 */
	@Nullable Hold withdraw(Failure reason) {
		return (this.outcome instanceof Hold hold && OUTCOME.compareAndSet(this, hold, reason)) ? hold : null;
	}

	/** Return the hold with which it was settled, or throw the reason. */
	Hold result() {
		if (this.outcome instanceof Hold hold) {
			return hold;
		}
		if (this.outcome instanceof Failure failure) {
			throw failure.get();
		}
		throw new IllegalStateException("Unexpected outcome " + this.outcome);
	}

}
