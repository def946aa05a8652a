package io.distributedlock.engine;

import java.util.List;
import java.util.function.Consumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.TemplateLease;
import io.distributedlock.WhenLost;
import org.jspecify.annotations.Nullable;

/**
 * A lease whose holder is notified of its danger, its loss and its end. Its own monitor
 * guards what happens then: actions, and the interrupt, which is delivered only while the
 * holder is inside.
 */
abstract class ToldLease implements TemplateLease {

	private volatile boolean closed;

	private boolean interruptDelivered;

	/** The thread that a loss interrupts, while it is inside. */
	private @Nullable Thread thread;

	private @Nullable LeaseActions actions;

	abstract RenewedGrant grant();

	final EngineExecutors executors() {
		return grant().instance().executors;
	}

	final boolean isClosed() {
		return this.closed;
	}

	@Override
	public void onLost(Runnable action) {
		if (register((actions) -> actions.onLost(action))) {
			executors().losses().execute(action);
		}
	}

	@Override
	public void onEndangered(Consumer<? super LockStoreException> action) {
		register((actions) -> actions.onEndangered(action));
	}

	/** Let the end of this lease be told. */
	void observedBy(ObservedHold hold) {
		if (register((actions) -> actions.observed = hold)) {
			hold.lost(grant().lossReason(), grant().renewalFailure());
		}
	}

	/** Register what is to be told, unless it is too late: whether the loss was told. */
	private synchronized boolean register(Consumer<LeaseActions> registration) {
		boolean told = this.actions == LeaseActions.TOLD;
		if (!this.closed && !told) {
			this.actions = (this.actions != null) ? this.actions : new LeaseActions();
			registration.accept(this.actions);
		}
		return !this.closed && told;
	}

	/** A renewal has failed, and less than half of the lease is left. */
	void endangered(LockStoreException failure) {
		List<Consumer<? super LockStoreException>> told;
		synchronized (this) {
			told = (this.closed || this.actions == null) ? List.of() : this.actions.endangered();
		}
		told.forEach((action) -> executors().losses().execute(() -> action.accept(failure)));
	}

	/** The grant was lost. Called by the loop, or by what notices it before. */
	void lost() {
		LeaseActions told;
		synchronized (this) {
			if (this.closed || this.actions == LeaseActions.TOLD) {
				return;
			}
			told = this.actions;
			this.actions = LeaseActions.TOLD;
			interruptHolder();
		}
		if (told != null) {
			told.lost(executors().losses(), grant().lossReason(), grant().renewalFailure());
		}
	}

	/**
	 * The holder has got this lease. Until then it waits, or has given up, and must not
	 * be interrupted for a loss.
	 */
	synchronized void begin(LockTerms terms, @Nullable Object owner) {
		if (!this.closed && terms.whenLost() == WhenLost.INTERRUPT && owner instanceof Thread ownerThread) {
			this.thread = ownerThread;
			if (this.actions == LeaseActions.TOLD) {
				interruptHolder();
			}
		}
	}

	private void interruptHolder() {
		if (this.thread != null) {
			this.interruptDelivered = true;
			this.thread.interrupt();
		}
	}

	/** From here on no loss interrupts the thread; one that has is undone. */
	final synchronized void leaveThread() {
		Thread left = this.thread;
		this.thread = null;
		if (this.interruptDelivered && left == Thread.currentThread()) {
			this.interruptDelivered = false;
			Thread.interrupted();
		}
	}

	/** Tell what observes this lease that it was closed, unless its loss was told. */
	final void tellEnd() {
		ObservedHold hold;
		synchronized (this) {
			hold = (this.actions != null) ? this.actions.observed : null;
		}
		if (hold != null && grant().isLost()) {
			hold.lost(grant().lossReason(), grant().renewalFailure());
		}
		else if (hold != null) {
			hold.released((grant().validUntil() == Validity.RELEASED) ? grant().failure() : null);
		}
	}

	final synchronized boolean endOnce() {
		boolean first = !this.closed;
		this.closed = true;
		return first;
	}

}
