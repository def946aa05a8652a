package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.store.LockKey;
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

	final Engine engine;

	final LockKey key;

	final Terms terms;

	final @Nullable Object owner;

	final long startedAt;

	/** The end of the budget; not used where the waiter tries only once. */
	final long deadline;

	final boolean once;

	private final @Nullable Thread thread;

	private final @Nullable BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback;

	private volatile @Nullable Object outcome;

	private volatile @Nullable KeyQueue queue;

	/**
	 * Create a waiter.
	 * @param callback told on the callback executor, or {@code null} where the calling
	 * thread waits itself
	 */
	Waiter(Engine engine, LockKey key, Terms terms, @Nullable Object owner, Budget budget,
			@Nullable BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback) {
		this.engine = engine;
		this.key = key;
		this.terms = terms;
		this.owner = owner;
		this.startedAt = budget.startedAt();
		this.deadline = budget.deadline();
		this.once = budget.isOnce();
		this.callback = callback;
		this.thread = (callback == null) ? Thread.currentThread() : null;
	}

	void joined(KeyQueue queue) {
		this.queue = queue;
	}

	/** Give up. The waiter is settled by then, or will be at once. */
	boolean giveUp(Failure reason) {
		KeyQueue joined = this.queue;
		if (joined == null || !joined.leave(this)) {
			return false;
		}
		settle(reason);
		return true;
	}

	void settle(GrantLease lease) {
		settle((Object) lease);
	}

	void settle(Failure failure) {
		settle((Object) failure);
	}

	private void settle(Object settlement) {
		if (!OUTCOME.compareAndSet(this, null, settlement)) {
			throw new IllegalStateException("Settled twice: " + this.key);
		}
		this.engine.loop().cancel(this);
		if (this.callback != null) {
			this.engine.callbacks().execute(() -> tell(this.callback, settlement));
		}
		else {
			LockSupport.unpark(this.thread);
		}
	}

	private static void tell(BiConsumer<@Nullable GrantLease, @Nullable Throwable> callback, Object settlement) {
		if (settlement instanceof GrantLease lease) {
			callback.accept(lease, null);
		}
		else {
			callback.accept(null, ((Failure) settlement).get());
		}
	}

	boolean isSettled() {
		return this.outcome != null;
	}

	/** The budget is used up. */
	@Override
	void fire(long now) {
		KeyQueue joined = this.queue;
		if (joined != null) {
			joined.timeOut(this, now);
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
		InterruptedException ex = new InterruptedException(
				"Interrupted while waiting for lock '" + this.key.key() + "'");
		if (!giveUp(() -> new LockInterruptedException(this.key.key(), ex))) {
			awaitSettled();
			if (this.outcome instanceof GrantLease lease) {
				lease.discard();
			}
		}
		return ex;
	}

	/** Between leaving the queue and being settled there are instants only. */
	private void awaitSettled() {
		while (this.outcome == null) {
			LockSupport.parkNanos(this, 1_000_000);
			Thread.interrupted();
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

}
