package io.distributedlock.engine.internal.lease;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.GuardedObserver;
import io.distributedlock.event.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * A hold whose end is reported to an observer: the first loss of one of its leases, or
 * the end of the last of them. Thread-safe.
 */
public final class ObservedHold {

	private static final int OVER = -1;

	private final GuardedObserver observer;

	private final LockObserver.Hold hold;

	/** Number of leases that have yet to end; negative once the end was reported. */
	private final AtomicInteger open;

	private volatile @Nullable LockStoreException failure;

	/**
	 * Create a hold.
	 * @param leases the number of its leases
	 */
	public ObservedHold(GuardedObserver observer, LockObserver.Hold hold, int leases) {
		this.observer = observer;
		this.hold = hold;
		this.open = new AtomicInteger(leases);
	}

	/** Report that a lease was lost. */
	void lost(LossReason reason, @Nullable LockStoreException cause) {
		if (this.open.getAndSet(OVER) > 0) {
			this.observer.quietly(() -> this.hold.lost(reason, cause));
		}
	}

	/**
	 * Record that a lease was closed.
	 * @param loss the reason of its loss, if it was lost
	 * @param failure the reason why the store has not confirmed the end or the last
	 * renewal, if that is how it has ended
	 */
	void ended(@Nullable LossReason loss, @Nullable LockStoreException failure) {
		if (loss != null) {
			lost(loss, failure);
		}
		else {
			released(failure);
		}
	}

	private void released(@Nullable LockStoreException failure) {
		if (failure != null) {
			this.failure = failure;
		}
		if (this.open.getAndUpdate((left) -> (left > 1) ? left - 1 : OVER) == 1) {
			LockStoreException unconfirmed = this.failure;
			this.observer
				.quietly((unconfirmed != null) ? () -> this.hold.releaseFailed(unconfirmed) : this.hold::released);
		}
	}

}
