package io.distributedlock.engine.internal.report;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.distributedlock.LossReason;
import io.distributedlock.LostLock;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.LockKey;

/** The last losses of an instance, for people. Thread-safe. */
public final class RecentLosses {

	private static final int MOST = 20;

	/** The losses, the newest one first; guarded by this. */
	private final Deque<Loss> losses = new ArrayDeque<>(0);

	/** Add a loss. */
	public void add(Grant lost, LossReason reason) {
		long now = lost.now();
		List<LockKey> keys = lost.keys();
		LostLock what = new LostLock(keys.get(0).name(), keys.stream().map(LockKey::key).toList(), lost.mode(),
				lost.token(), reason, lost.heldFor(now), Duration.ZERO, lost.renewalFailure());
		synchronized (this) {
			this.losses.addFirst(new Loss(now, what));
			if (this.losses.size() > MOST) {
				this.losses.removeLast();
			}
		}
	}

	/** Return the losses, the newest one first. */
	public synchronized List<LostLock> all(long now) {
		return this.losses.stream().map((loss) -> loss.seenAt(now)).toList();
	}

	/**
	 * A loss and its time.
	 *
	 * @param at the time
	 * @param what the lost lock, as it was seen then
	 */
	private record Loss(long at, LostLock what) {

		private LostLock seenAt(long now) {
			return new LostLock(this.what.name(), this.what.keys(), this.what.mode(), this.what.fencingToken(),
					this.what.reason(), this.what.held(), Duration.ofNanos(now - this.at), this.what.cause());
		}

	}

}
