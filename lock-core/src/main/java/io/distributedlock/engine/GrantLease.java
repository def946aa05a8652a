package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.TemplateLease;
import io.distributedlock.WhenLost;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** A lease on a grant. Its own monitor puts its close and its loss in order. */
class GrantLease implements TemplateLease {

	static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	/** The next lease on the same grant; guarded by the queue. */
	@Nullable GrantLease next;

	private final Grant grant;

	/** {@code true} if closing the lease fails after a loss. */
	private final boolean tellsLoss;

	private volatile boolean owned;

	private volatile boolean closed;

	private volatile @Nullable LeaseActions actions;

	GrantLease(Grant grant, boolean owned, boolean tellsLoss) {
		this.grant = grant;
		this.owned = owned;
		this.tellsLoss = tellsLoss;
	}

	List<LockKey> lockKeys() {
		return this.grant.keys();
	}

	Grant grant() {
		return this.grant;
	}

	private EngineExecutors executors() {
		return this.grant.queue.instance().executors;
	}

	/**
	 * Return whether the lock was acquired since that time. A lock that was entered again
	 * shows nothing of the store.
	 */
	boolean isAcquiredAfter(long time) {
		return this.grant.acquiredAt() >= time;
	}

	boolean isOwned() {
		return this.owned;
	}

	@Override
	public String name() {
		return lockKeys().get(0).name();
	}

	@Override
	public List<String> keys() {
		return lockKeys().stream().map(LockKey::key).toList();
	}

	@Override
	public long fencingToken() {
		return this.grant.token();
	}

	@Override
	public long fencingToken(String key) {
		if (!keys().contains(key)) {
			throw new IllegalArgumentException("'%s' is not part of the lease of %s".formatted(key, keys()));
		}
		return this.grant.token();
	}

	@Override
	public boolean isHeld() {
		return !this.closed && this.grant.isConfirmed(this.grant.now());
	}

	@Override
	public boolean isLost() {
		return !this.grant.isHeld(this.grant.now()) && this.grant.isLost();
	}

	@Override
	public Duration remaining() {
		return (!this.closed) ? Duration.ofNanos(this.grant.remainingNanos(this.grant.now())) : Duration.ZERO;
	}

	@Override
	public void checkHeld() {
		requireOpen();
		if (!isHeld() && !isConfirmedByTheStore()) {
			throw this.grant.loss(false);
		}
	}

	/** Ask the store after a clock jump, unless the lease is lost in any case. */
	private boolean isConfirmedByTheStore() {
		if (!isLost()) {
			requireOtherThread("confirm");
			this.grant.queue.confirm(this.grant).join();
		}
		return isHeld();
	}

	@Override
	public void extend(Duration ttl, @Nullable Duration keepFor) {
		requireExtendable(ttl, keepFor);
		requireOtherThread("extend");
		Instance instance = this.grant.queue.instance();
		CompletableFuture<@Nullable LockStoreException> extended = instance.lendsThreads
				? CallerThread.lend(instance.commandTimeoutNanos(), () -> startExtend(ttl, keepFor))
				: startExtend(ttl, keepFor);
		RuntimeException failure = extendFailure(extended.join());
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public CompletionStage<Void> extendAsync(Duration ttl, @Nullable Duration keepFor) {
		requireExtendable(ttl, keepFor);
		CompletableFuture<@Nullable LockStoreException> extended = startExtend(ttl, keepFor);
		return afterExtend(extended, () -> extendFailure(extended.join()));
	}

	/** Return the answer to an extend, for user code. */
	CompletableFuture<Void> afterExtend(CompletableFuture<?> extended, Supplier<@Nullable RuntimeException> last) {
		return GrowingCallbacks.after(extended, executors().endings(), last);
	}

	/** Refuse terms that no store could apply, and a closed lease. */
	void requireExtendable(Duration ttl, @Nullable Duration keepFor) {
		this.grant.terms().with(Objects.requireNonNull(ttl, "The ttl must not be null"), keepFor).requireUsable();
		requireOpen();
	}

	CompletableFuture<@Nullable LockStoreException> startExtend(Duration ttl, @Nullable Duration keepFor) {
		return this.grant.queue.extend(this.grant, ttl, keepFor);
	}

	/** Refuse to wait for an answer that comes on the calling thread. */
	void requireOtherThread(String what) {
		if (this.grant.queue.instance().isAnsweredHere()) {
			throw Failure.answeredHere(what, lockKeys());
		}
	}

	/** Return the failure of an extend, if any, with the stack trace of the caller. */
	@Nullable RuntimeException extendFailure(@Nullable LockStoreException failure) {
		if (failure != null) {
			return Failure.ofStore(failure);
		}
		if (isHeld()) {
			return null;
		}
		return this.closed ? closedFailure() : this.grant.loss(false);
	}

	private void requireOpen() {
		if (this.closed) {
			throw closedFailure();
		}
	}

	private IllegalStateException closedFailure() {
		return new IllegalStateException("The lease of lock '" + LockKeys.describe(lockKeys()) + "' is closed");
	}

	@Override
	public void onLost(Runnable action) {
		actions().onLost(action, executors().losses());
	}

	@Override
	public void onEndangered(Consumer<? super LockStoreException> action) {
		actions().onEndangered(action);
	}

	/**
	 * Return the actions of this lease. For a closed lease none run, so none are kept.
	 */
	private synchronized LeaseActions actions() {
		LeaseActions known = this.closed ? new LeaseActions() : this.actions;
		if (known == null) {
			known = new LeaseActions();
			this.actions = known;
		}
		return known;
	}

	/** Notify an observer of the end of this lease, at once if it has ended. */
	void observedBy(ObservedHold hold) {
		synchronized (this) {
			if (!this.closed && actions().observedBy(hold)) {
				return;
			}
		}
		tellEnd(hold);
	}

	/** Keep the tracker that detects a forgotten lease. */
	void trackedBy(LeakTracker tracker) {
		actions().trackedBy(tracker);
	}

	@Nullable LeakTracker tracker() {
		LeaseActions known = this.actions;
		return (known != null) ? known.tracker() : null;
	}

	boolean isOpen() {
		return !this.closed;
	}

	/** A renewal has failed, and less than half of the lease is left. */
	void endangered(LockStoreException failure) {
		LeaseActions told = this.actions;
		if (told != null && !this.closed && told.endangers(failure)) {
			executors().dangers().execute(() -> told.tellDanger(() -> this.closed || isLost()));
		}
	}

	/** The grant was lost. Called by the loop, or by a close that notices it before. */
	void lost() {
		LeaseActions told;
		synchronized (this) {
			told = actions();
			if (this.closed || !told.lose(this.grant.lossReason(), this.grant.renewalFailure())) {
				return;
			}
		}
		told.tellLoss(executors().losses());
	}

	/** The holder has got this lease, so from here on a loss may interrupt it. */
	synchronized void begin(LockTerms terms, @Nullable Object owner) {
		if (!this.closed && terms.whenLost() == WhenLost.INTERRUPT && owner instanceof Thread ownerThread) {
			actions().interruptWhenLost(ownerThread);
		}
	}

	@Override
	public void detach() {
		if (this.owned) {
			this.owned = false;
			leaveThread();
			this.grant.disownUnlessOwned();
		}
	}

	@Override
	public void ownersChanged() {
		this.grant.queue.ownersChanged();
	}

	/** Let no loss interrupt the thread from here on; undo such an interrupt. */
	private void leaveThread() {
		if (this.actions != null) {
			this.actions.leaveThread();
		}
	}

	@Override
	public void close() {
		Instance instance = this.grant.queue.instance();
		CompletableFuture<Void> released = instance.lendsThreads
				? CallerThread.lend(instance.commandTimeoutNanos(), () -> end(true)) : end(true);
		await(released);
	}

	/**
	 * Wait for the release, and throw the exceptions of {@link #close()}. A thread on
	 * which answers come goes on at once: a refusal would leave the lock held.
	 */
	void await(@Nullable CompletableFuture<Void> released) {
		if (released != null && !released.isDone() && this.grant.queue.instance().isAnsweredHere()) {
			tellEndAfter(released);
		}
		else if (released != null) {
			try {
				released.join();
			}
			finally {
				tellEnd();
			}
			LockLostException loss = loss();
			if (loss != null) {
				throw loss;
			}
		}
	}

	@Override
	public CompletionStage<Void> release() {
		return settled(end(true), true);
	}

	@Override
	public CompletionStage<Void> discard() {
		return settled(end(false), false);
	}

	private CompletableFuture<Void> settled(@Nullable CompletableFuture<Void> ended, boolean used) {
		return GrowingCallbacks.after(ended, executors().endings(), () -> {
			tellEnd();
			return used ? loss() : null;
		});
	}

	/**
	 * Close the lease as if it had never been acquired: no code ran under it. The lock is
	 * not kept unless for another lease, and a loss is not reported.
	 * @return completes when the lock is released, on the thread that brings the answer
	 */
	CompletableFuture<Void> drop() {
		CompletableFuture<Void> released = end(false);
		if (released != null && this.actions != null) {
			tellEndAfter(released);
		}
		return (released != null) ? released : DONE;
	}

	/**
	 * Close this lease.
	 * @param used {@code true} if code ran under it
	 * @return completes when the lock is released, or {@code null} if this was closed
	 */
	@Nullable CompletableFuture<Void> end(boolean used) {
		if (isLost()) {
			lost();
		}
		synchronized (this) {
			if (this.closed) {
				return null;
			}
			this.closed = true;
		}
		leaveThread();
		if (used) {
			this.grant.use();
		}
		boolean last = this.grant.exit(this);
		this.owned = false;
		if (!last) {
			this.grant.isHeld(this.grant.now());
			this.grant.disownUnlessOwned();
			return DONE;
		}
		return this.grant.queue.release(this.grant);
	}

	private void tellEndAfter(CompletableFuture<Void> released) {
		released.whenComplete((ignored, ex) -> executors().endings().execute(this::tellEnd));
	}

	/** Notify the observer of the close, unless it was notified of the loss. */
	private void tellEnd() {
		tellEnd((this.actions != null) ? this.actions.observed() : null);
	}

	private void tellEnd(@Nullable ObservedHold hold) {
		if (hold != null) {
			hold.ended(this.grant.isLost() ? this.grant.lossReason() : null, this.grant.renewalFailure());
		}
	}

	private @Nullable LockLostException loss() {
		return (this.tellsLoss && this.grant.isLost()) ? this.grant.loss(true) : null;
	}

	@Override
	public String toString() {
		return "Lease[" + LockKeys.describe(lockKeys()) + ", token=" + this.grant.token() + "]";
	}

}
