package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.event.LockObserver;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** One call whose wait and hold are observed. The end of the wait is told once. */
final class ObservedCall {

	private final LockObserver.Wait wait;

	private final long startedAt;

	private final AtomicBoolean told = new AtomicBoolean();

	private ObservedCall(LockObserver.Wait wait, long startedAt) {
		this.wait = wait;
		this.startedAt = startedAt;
	}

	/**
	 * The call that begins, on the thread of the caller, or {@code null} if not observed.
	 */
	static @Nullable ObservedCall begin(@Nullable LockObserver observer, List<LockKey> keys, LockTerms terms,
			long now) {
		if (observer == null || !observer.isObserving()) {
			return null;
		}
		try {
			LockObserver.Wait wait = observer.waiting(keys.get(0).name(), keys.stream().map(LockKey::key).toList(),
					terms.mode());
			return (wait != null) ? new ObservedCall(wait, now) : null;
		}
		catch (Throwable ex) {
			ObservedHold.quietly(() -> {
				throw ex;
			});
			return null;
		}
	}

	/** Take the lock on the thread of the caller. */
	Lease run(Taking taking) throws InterruptedException {
		Lease lease;
		try {
			lease = taking.take();
		}
		catch (Throwable ex) {
			failed(ex);
			throw ex;
		}
		acquired(lease);
		return lease;
	}

	/** The caller is about to get its lease. */
	void acquired(Lease lease) {
		if (this.told.compareAndSet(false, true)) {
			ObservedHold.quietly(
					() -> acquired((lease instanceof CompositeLease all) ? all.parts() : List.of((GrantLease) lease)));
		}
	}

	private void acquired(List<GrantLease> leases) {
		if (!leases.get(0).isAcquiredAfter(this.startedAt)) {
			this.wait.reentered();
			return;
		}
		LockObserver.Hold hold = this.wait.acquired(leases.get(0).fencingToken());
		if (hold != null) {
			ObservedHold observed = new ObservedHold(hold, leases.size());
			leases.forEach((lease) -> lease.actions().observedBy(observed));
		}
	}

	/** The caller gets no lease. */
	void failed(Throwable reason) {
		if (this.told.compareAndSet(false, true)) {
			ObservedHold.quietly(() -> this.wait.failed(reason));
		}
	}

	/** Waits for a lock, as the calling thread does. */
	@FunctionalInterface
	interface Taking {

		Lease take() throws InterruptedException;

	}

}
