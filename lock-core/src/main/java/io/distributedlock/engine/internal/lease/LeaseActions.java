package io.distributedlock.engine.internal.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.Callbacks;
import org.jspecify.annotations.Nullable;

/**
 * The actions of one lease at its danger, its loss and its end, and the interrupt. The
 * interrupt is delivered only between the delivery of the lease and its close.
 * Thread-safe.
 */
final class LeaseActions {

	private List<Runnable> whenLost = List.of();

	private List<Consumer<? super LockStoreException>> whenEndangered = List.of();

	/** The failure of a renewal, until the actions are notified. */
	private @Nullable LockStoreException danger;

	private @Nullable ObservedHold observed;

	/** Detects that no code can close the lease any more. */
	private @Nullable LeakTracker tracker;

	/** The thread that a loss interrupts; {@code null} before and after its lease. */
	private @Nullable Thread thread;

	private boolean interruptDelivered;

	/** The reason for the loss; from then on no action is registered. */
	private @Nullable LossReason reason;

	private @Nullable LockStoreException cause;

	void onLost(Runnable action, Executor executor) {
		if (!registers(() -> this.whenLost = with(action, this.whenLost))) {
			executor.execute(action);
		}
	}

	void onEndangered(Consumer<? super LockStoreException> action) {
		registers(() -> this.whenEndangered = with(action, this.whenEndangered));
	}

	/**
	 * Register an observer of the end of the lease.
	 * @return false if it was lost already
	 */
	boolean observedBy(ObservedHold hold) {
		return registers(() -> this.observed = hold);
	}

	synchronized @Nullable ObservedHold observed() {
		return this.observed;
	}

	synchronized void trackedBy(LeakTracker leaks) {
		this.tracker = leaks;
	}

	/**
	 * The lease was closed, so its tracker need not be told that it is collected. It
	 * would wait in the queue, with the grant, until the engine has anything to do.
	 */
	synchronized void untrack() {
		if (this.tracker != null) {
			this.tracker.clear();
		}
	}

	synchronized @Nullable LeakTracker tracker() {
		return this.tracker;
	}

	/** Register something; return false if the lease was lost already. */
	private synchronized boolean registers(Runnable registration) {
		if (this.reason != null) {
			return false;
		}
		registration.run();
		return true;
	}

	/** Let a loss interrupt the holder, at once if the lease was lost already. */
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

	/**
	 * Let no loss interrupt the thread from here on. If this is that thread, undo an
	 * interrupt by a loss.
	 */
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
	 * @return {@code true} if the actions have to be notified, and no notification is
	 * pending
	 */
	synchronized boolean endangers(LockStoreException failure) {
		boolean first = this.danger == null && !this.whenEndangered.isEmpty();
		this.danger = this.whenEndangered.isEmpty() ? null : failure;
		return first;
	}

	/**
	 * Notify the actions of the danger.
	 * @param over returns {@code true} once the lease has ended
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
	 * @return {@code true} if the holder has yet to be notified
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

	/**
	 * Notify of the loss. Called by the thread that has set its reason; from then on the
	 * actions do not change.
	 */
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
