package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * A hold whose end is told to an observer: the first loss of one of its leases, or the
 * end of the last of them. Thread-safe.
 */
final class ObservedHold {

	private static final int OVER = -1;

	private final GuardedObserver observer;

	private final LockObserver.Hold hold;

	/** How many leases have yet to end; negative once the end was told. */
	private final AtomicInteger open;

	private volatile @Nullable LockStoreException failure;

	/**
	 * Create it.
	 * @param leases how many leases it consists of
	 */
	ObservedHold(GuardedObserver observer, LockObserver.Hold hold, int leases) {
		this.observer = observer;
		this.hold = hold;
		this.open = new AtomicInteger(leases);
	}

	/** One of the leases was lost. */
	void lost(LossReason reason, @Nullable LockStoreException cause) {
		if (this.open.getAndSet(OVER) > 0) {
			this.observer.quietly(() -> this.hold.lost(reason, cause));
		}
	}

	/**
	 * One of the leases was closed.
	 * @param loss why it was lost, if it was
	 * @param failure why the store has not confirmed the end or the last renewal, if that
	 * is how it has ended
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
