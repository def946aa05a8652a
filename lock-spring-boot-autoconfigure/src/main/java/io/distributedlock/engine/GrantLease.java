package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockLostException;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/** One hold on a grant. */
class GrantLease extends ToldLease {

	static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	/** The next lease on the same grant; guarded by the queue. */
	@Nullable GrantLease next;

	private final Grant grant;

	/** Whether closing fails if the lease was lost. */
	private final boolean tellsLoss;

	private volatile boolean owned;

	GrantLease(Grant grant, boolean owned, boolean tellsLoss) {
		this.grant = grant;
		this.owned = owned;
		this.tellsLoss = tellsLoss;
	}

	List<LockKey> lockKeys() {
		return this.grant.keys();
	}

	@Override
	Grant grant() {
		return this.grant;
	}

	/** A lock that was entered again shows nothing of the store. */
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
		Assert.isTrue(keys().contains(key), () -> "'%s' is not part of the lease of %s".formatted(key, keys()));
		return this.grant.token();
	}

	@Override
	public boolean isHeld() {
		return !isClosed() && this.grant.isConfirmed(this.grant.now());
	}

	@Override
	public boolean isLost() {
		return !this.grant.isHeld(this.grant.now()) && this.grant.isLost();
	}

	@Override
	public Duration remaining() {
		return (!isClosed()) ? Duration.ofNanos(this.grant.remainingNanos(this.grant.now())) : Duration.ZERO;
	}

	@Override
	public void checkHeld() {
		if (isClosed()) {
			throw new IllegalStateException("The lease of lock '" + LockKeys.describe(lockKeys()) + "' is closed");
		}
		if (!isHeld() && !isConfirmedByTheStore()) {
			throw this.grant.loss(false);
		}
	}

	/** A clock has jumped: ask, unless the lease is lost in any case. */
	private boolean isConfirmedByTheStore() {
		if (!isLost()) {
			this.grant.queue.confirm(this.grant).join();
		}
		return isHeld();
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

	@Override
	public void close() {
		Instance instance = this.grant.queue.instance();
		CompletableFuture<Void> released = instance.lendsThreads
				? CallerThread.lend(instance.commandTimeoutNanos(), () -> end(true)) : end(true);
		await(released);
	}

	/** Wait for the end of a lease, and throw what {@link #close()} throws. */
	void await(@Nullable CompletableFuture<Void> released) {
		if (released != null) {
			released.join();
			tellEnd();
			LockLostException loss = loss();
			if (loss != null) {
				throw loss;
			}
		}
	}

	@Override
	public CompletionStage<Void> release() {
		CompletableFuture<Void> result = new CompletableFuture<>();
		CompletableFuture<Void> released = end(true);
		if (released == null) {
			result.complete(null);
			return result;
		}
		released.whenComplete((ignored, ex) -> executors().endings().execute(() -> {
			tellEnd();
			LockLostException loss = loss();
			if (loss != null) {
				result.completeExceptionally(loss);
			}
			else {
				result.complete(null);
			}
		}));
		return result;
	}

	@Override
	public CompletionStage<Void> discard() {
		CompletableFuture<Void> result = new CompletableFuture<>();
		drop().whenComplete((ignored, ex) -> executors().endings().execute(() -> result.complete(null)));
		return result;
	}

	/**
	 * Give the lease up as if it had never been given: nothing ran under it, so the lock
	 * is not kept unless for another hold, and a loss is not reported.
	 * @return completes when the lock is released, on whatever thread brings the answer
	 */
	CompletableFuture<Void> drop() {
		CompletableFuture<Void> released = end(false);
		tellEnd();
		return (released != null) ? released : DONE;
	}

	/**
	 * Close this lease.
	 * @param used whether anything ran under it
	 * @return completes when the lock is released, or {@code null} if this was closed
	 */
	@Nullable CompletableFuture<Void> end(boolean used) {
		if (isLost()) {
			lost();
		}
		if (!endOnce()) {
			return null;
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

	private @Nullable LockLostException loss() {
		return (this.tellsLoss && this.grant.isLost()) ? this.grant.loss(true) : null;
	}

	@Override
	public String toString() {
		return "Lease[" + LockKeys.describe(lockKeys()) + ", token=" + this.grant.token() + "]";
	}

}
