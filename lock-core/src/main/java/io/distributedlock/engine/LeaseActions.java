package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What happens at the danger, the loss and the end of one lease: actions, and the
 * interrupt, which is delivered only while the holder is inside. Thread-safe.
 */
final class LeaseActions {

	private List<Runnable> whenLost = List.of();

	private List<Consumer<? super LockStoreException>> whenEndangered = List.of();

	/** What a renewal has failed with, until the actions are told. */
	private @Nullable LockStoreException danger;

	private @Nullable ObservedHold observed;

	/** Knows when nothing can close the lease any more. */
	private @Nullable LeakTracker tracker;

	/** The thread that a loss interrupts, while it is inside. */
	private @Nullable Thread thread;

	private boolean interruptDelivered;

	/** Why the lease was lost; nothing is registered any more from then on. */
	private @Nullable LossReason reason;

	private @Nullable LockStoreException cause;

	void onLost(Runnable action, Executor executor) {
		if (!isLost(() -> this.whenLost = with(action, this.whenLost))) {
			return;
		}
		executor.execute(action);
	}

	void onEndangered(Consumer<? super LockStoreException> action) {
		isLost(() -> this.whenEndangered = with(action, this.whenEndangered));
	}

	/**
	 * Let the end of the lease be told.
	 * @return false if it was lost already
	 */
	boolean observedBy(ObservedHold hold) {
		return !isLost(() -> this.observed = hold);
	}

	synchronized @Nullable ObservedHold observed() {
		return this.observed;
	}

	synchronized void trackedBy(LeakTracker leaks) {
		this.tracker = leaks;
	}

	synchronized @Nullable LeakTracker tracker() {
		return this.tracker;
	}

	private synchronized boolean isLost(Runnable otherwise) {
		if (this.reason == null) {
			otherwise.run();
		}
		return this.reason != null;
	}

	/** The holder has got the lease, which may have been lost already. */
	synchronized void interruptWhenLost(Thread holder) {
		this.thread = holder;
		if (this.reason != null) {
			interruptHolder();
		}
	}

	private void interruptHolder() {
		if (this.thread != null) {
			this.interruptDelivered = true;
			this.thread.interrupt();
		}
	}

	/** From here on no loss interrupts the thread; one that has is undone. */
	synchronized void leaveThread() {
		Thread left = this.thread;
		this.thread = null;
		if (this.interruptDelivered && left == Thread.currentThread()) {
			this.interruptDelivered = false;
			Thread.interrupted();
		}
	}

	private static <T> List<T> with(T added, List<T> actions) {
		List<T> grown = new ArrayList<>(actions);
		grown.add(added);
		return grown;
	}

	/**
	 * The lease is endangered.
	 * @return whether that is to be told, and none of before still is
	 */
	synchronized boolean endangers(LockStoreException failure) {
		boolean first = this.danger == null && !this.whenEndangered.isEmpty();
		this.danger = this.whenEndangered.isEmpty() ? null : failure;
		return first;
	}

	/**
	 * Tell of the danger.
	 * @param over whether the lease has ended meanwhile
	 */
	void tellDanger(BooleanSupplier over) {
		List<Consumer<? super LockStoreException>> told;
		LockStoreException failure;
		synchronized (this) {
			told = this.whenEndangered;
			failure = this.danger;
			this.danger = null;
		}
		for (Consumer<? super LockStoreException> action : told) {
			if (failure != null && !over.getAsBoolean()) {
				Callbacks.run(() -> action.accept(failure));
			}
		}
	}

	/**
	 * The lease was lost.
	 * @return whether that is yet to be told
	 */
	synchronized boolean lose(LossReason why, @Nullable LockStoreException failure) {
		boolean first = this.reason == null;
		if (first) {
			this.reason = why;
			this.cause = failure;
			interruptHolder();
		}
		return first;
	}

	/** Called once the lease is lost, after which the actions do not change. */
	void tellLoss(Executor executor) {
		ObservedHold hold = this.observed;
		if (hold != null) {
			executor.execute(() -> tellLoss(hold));
		}
		this.whenLost.forEach(executor::execute);
	}

	private void tellLoss(ObservedHold hold) {
		if (this.reason != null) {
			hold.lost(this.reason, this.cause);
		}
	}

}
