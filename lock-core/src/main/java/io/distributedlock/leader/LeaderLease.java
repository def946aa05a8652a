package io.distributedlock.leader;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a leadership, as other code sees it: that code cannot release the lock
 * behind the back of the election, which would not learn of it. Once that code has closed
 * it, it looks closed, though the lock is kept for the listeners.
 */
final class LeaderLease implements Lease {

	private final Leadership leadership;

	private final Lease lease;

	private volatile boolean closed;

	LeaderLease(Leadership leadership, Lease lease) {
		this.leadership = leadership;
		this.lease = lease;
	}

	@Override
	public String name() {
		return this.lease.name();
	}

	@Override
	public List<String> keys() {
		return this.lease.keys();
	}

	@Override
	public long fencingToken(String key) {
		return this.lease.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return !this.closed && this.lease.isHeld();
	}

	@Override
	public boolean isLost() {
		return this.lease.isLost();
	}

	@Override
	public Duration remaining() {
		return this.closed ? Duration.ZERO : this.lease.remaining();
	}

	@Override
	public void checkHeld() {
		requireOpen();
		this.lease.checkHeld();
	}

	@Override
	public void checkCommit() {
		requireOpen();
		this.lease.checkCommit();
	}

	@Override
	public void extend(Duration ttl, @Nullable Duration keepFor) {
		requireOpen();
		Runnable answered = this.leadership.extending(ttl);
		try {
			this.lease.extend(ttl, keepFor);
		}
		finally {
			answered.run();
		}
	}

	/** The lease may be shorter from here on, or from the answer to an earlier extend. */
	@Override
	public CompletionStage<Void> extendAsync(Duration ttl, @Nullable Duration keepFor) {
		requireOpen();
		Runnable answered = this.leadership.extending(ttl);
		CompletionStage<Void> extended;
		try {
			extended = this.lease.extendAsync(ttl, keepFor);
		}
		catch (Throwable ex) {
			answered.run();
			throw ex;
		}
		this.leadership.check();
		extended.whenComplete((ignored, failure) -> answered.run());
		return extended;
	}

	@Override
	public void onLost(Runnable action) {
		this.lease.onLost(action);
	}

	@Override
	public void onEndangered(Consumer<? super LockStoreException> action) {
		this.lease.onEndangered(action);
	}

	@Override
	public CompletionStage<Void> release() {
		this.closed = true;
		this.leadership.stepDown();
		return this.leadership.afterRelease();
	}

	@Override
	public void close() {
		this.closed = true;
		this.leadership.stepDown();
	}

	private void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The lease of role '%s' is closed".formatted(key()));
		}
	}

	@Override
	public String toString() {
		return this.lease.toString();
	}

}
