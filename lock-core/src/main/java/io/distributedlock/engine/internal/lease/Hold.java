package io.distributedlock.engine.internal.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a holder into a grant; a re-entrant holder has several. It has what is
 * notified of a loss, and the {@code GrantLease} of the holder refers to it. Its own
 * monitor puts its close and its loss in order.
 */
public final class Hold {

	/** The next hold of the same grant; guarded by the queue. */
	private @Nullable Hold next;

	public final Grant grant;

	/** The keys that the holder asked for; {@code null} for those of the grant. */
	private final @Nullable List<LockKey> part;

	/** {@code true} if closing the lease fails after a loss. */
	private final boolean failsAfterLoss;

	private volatile boolean owned;

	private volatile boolean closed;

	private volatile @Nullable LeaseActions actions;

	Hold(Grant grant, @Nullable List<LockKey> part, boolean owned, boolean failsAfterLoss, @Nullable Hold next) {
		this.grant = grant;
		this.part = part;
		this.owned = owned;
		this.failsAfterLoss = failsAfterLoss;
		this.next = next;
	}

	/** Return the chain that begins with a hold, without another one. */
	static @Nullable Hold without(Hold left, @Nullable Hold first) {
		if (left == first) {
			return left.next;
		}
		for (Hold other = first; other != null; other = other.next) {
			if (other.next == left) {
				other.next = left.next;
				break;
			}
		}
		return first;
	}

	/**
	 * Return whether a hold of a chain belongs to an owner. Mostly the first one does,
	 * which was entered last.
	 */
	static boolean hasOwned(@Nullable Hold first) {
		Hold hold = first;
		while (hold != null && !hold.owned) {
			hold = hold.next;
		}
		return hold != null;
	}

	static List<Hold> list(@Nullable Hold first) {
		List<Hold> all = new ArrayList<>();
		for (Hold hold = first; hold != null; hold = hold.next) {
			all.add(hold);
		}
		return all;
	}

	/** Return the keys that the holder asked for, maybe some of those of the grant. */
	public List<LockKey> keys() {
		return (this.part != null) ? this.part : this.grant.keys();
	}

	private EngineExecutors executors() {
		return this.grant.instance.executors;
	}

	/**
	 * Return whether the lock was acquired since that time. A lock that was entered again
	 * shows nothing of the store.
	 */
	public boolean isAcquiredAfter(long time) {
		return this.grant.acquiredAt() >= time;
	}

	public boolean isOpen() {
		return !this.closed;
	}

	public boolean isHeld() {
		return !this.closed && this.grant.isConfirmed(this.grant.now());
	}

	public boolean isLost() {
		return !this.grant.isHeld(this.grant.now()) && this.grant.isLost();
	}

	public void onLost(Runnable action) {
		actions().onLost(action, executors().losses());
	}

	public void onEndangered(Consumer<? super LockStoreException> action) {
		actions().onEndangered(action);
	}

	/**
	 * Return the actions of this hold. For a closed one none run, so none are kept.
	 */
	private synchronized LeaseActions actions() {
		LeaseActions known = this.closed ? new LeaseActions() : this.actions;
		if (known == null) {
			known = new LeaseActions();
			this.actions = known;
		}
		return known;
	}

	/** Notify an observer of the end of this hold, at once if it has ended. */
	public void observedBy(ObservedHold observed) {
		synchronized (this) {
			if (!this.closed && actions().observedBy(observed)) {
				return;
			}
		}
		tellEnd(observed);
	}

	/** Keep the tracker that detects a forgotten lease. */
	void trackedBy(LeakTracker tracker) {
		actions().trackedBy(tracker);
	}

	public @Nullable LeakTracker tracker() {
		LeaseActions known = this.actions;
		return (known != null) ? known.tracker() : null;
	}

	/** A renewal has failed, and less than half of the lease is left. */
	public void endangered(LockStoreException failure) {
		LeaseActions told = this.actions;
		if (told != null && !this.closed && told.endangers(failure)) {
			executors().dangers().execute(() -> told.tellDanger(() -> this.closed || isLost()));
		}
	}

	/** The grant was lost. Called by the loop, or by a close that notices it before. */
	public void lost() {
		LeaseActions told;
		synchronized (this) {
			told = actions();
			if (this.closed || !told.lose(this.grant.lossReason(), this.grant.renewalFailure())) {
				return;
			}
		}
		told.tellLoss(executors().losses());
	}

	/** The holder has got its lease, so from here on a loss may interrupt it. */
	public synchronized void begin(LockTerms terms, @Nullable Object owner) {
		if (!this.closed && terms.whenLost == WhenLost.INTERRUPT && owner instanceof Thread ownerThread) {
			actions().interruptWhenLost(ownerThread);
		}
	}

	/**
	 * Forget the owner: no loss interrupts it from here on.
	 * @return false if it had none
	 */
	public boolean disown() {
		boolean before = this.owned;
		this.owned = false;
		if (before) {
			leaveThread();
		}
		return before;
	}

	/** Let no loss interrupt the thread from here on; undo such an interrupt. */
	private void leaveThread() {
		LeaseActions known = this.actions;
		if (known != null) {
			known.leaveThread();
		}
	}

	/**
	 * Close this hold. A loss is notified before.
	 * @return false if it was closed already
	 */
	public boolean close() {
		if (isLost()) {
			lost();
		}
		synchronized (this) {
			if (this.closed) {
				return false;
			}
			this.closed = true;
		}
		LeaseActions known = this.actions;
		if (known != null) {
			known.leaveThread();
			known.untrack();
		}
		return true;
	}

	/** Notify the observer of the end after the release, on a thread for that. */
	public void tellEndAfter(CompletableFuture<Void> released) {
		released.whenComplete((ignored, ex) -> executors().endings().execute(this::tellEnd));
	}

	/** Return whether anything has to be notified of the end. */
	public boolean isWatched() {
		return this.actions != null;
	}

	/** Notify the observer of the close, unless it was notified of the loss. */
	public void tellEnd() {
		LeaseActions known = this.actions;
		tellEnd((known != null) ? known.observed() : null);
	}

	private void tellEnd(@Nullable ObservedHold observed) {
		if (observed != null) {
			observed.ended(this.grant.isLost() ? this.grant.lossReason() : null, this.grant.renewalFailure());
		}
	}

	/** Return the exception with which closing the lease fails, if it does. */
	public @Nullable LockLostException loss() {
		return (this.failsAfterLoss && this.grant.isLost()) ? this.grant.loss(true) : null;
	}

}
