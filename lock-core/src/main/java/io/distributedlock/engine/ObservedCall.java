package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.GuardedObserver;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.lease.ObservedHold;
import io.distributedlock.event.LockObserver;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** A call whose wait and hold are observed. The end of the wait is reported once. */
final class ObservedCall {

	private final GuardedObserver observer;

	private final LockObserver.Wait wait;

	private final long startedAt;

	private final AtomicBoolean told = new AtomicBoolean();

	private ObservedCall(GuardedObserver observer, LockObserver.Wait wait, long startedAt) {
		this.observer = observer;
		this.wait = wait;
		this.startedAt = startedAt;
	}

	/**
	 * Begin to observe a call on its thread; return {@code null} if it is not observed.
	 */
	static @Nullable ObservedCall begin(@Nullable GuardedObserver observer, LockKey key, LockTerms terms, long now) {
		return (observer != null) ? begin(observer, key.name(), List.of(key.key()), terms, now) : null;
	}

	/** Begin to observe a call for all keys of a request. */
	static @Nullable ObservedCall begin(@Nullable GuardedObserver observer, LockRequest request, LockTerms terms,
			long now) {
		return (observer != null) ? begin(observer, request.name(), request.keys(), terms, now) : null;
	}

	private static @Nullable ObservedCall begin(GuardedObserver observer, String name, List<String> keys,
			LockTerms terms, long now) {
		LockObserver.Wait wait = observer.begin(name, keys, terms);
		return (wait != null) ? new ObservedCall(observer, wait, now) : null;
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

	/** Report that the caller is about to get its lease. */
	void acquired(Lease lease) {
		if (this.told.compareAndSet(false, true)) {
			this.observer.quietly(() -> acquired(LeakDetector.holds(lease)));
		}
	}

	/**
	 * Report the new leases only: keys that the owner had before belong to another hold.
	 */
	private void acquired(List<Hold> holds) {
		boolean allAdded = holds.size() == 1 && holds.get(0).isAcquiredAfter(this.startedAt);
		List<Hold> added = allAdded ? holds
				: holds.stream().filter((hold) -> hold.isAcquiredAfter(this.startedAt)).toList();
		if (added.isEmpty()) {
			this.wait.reentered();
			return;
		}
		LockObserver.Hold hold = this.wait.acquired(added.get(0).grant.token());
		if (hold != null) {
			ObservedHold observed = new ObservedHold(this.observer, hold, added.size());
			added.forEach((each) -> each.observedBy(observed));
		}
	}

	/** Report that the caller gets no lease. */
	void failed(Throwable reason) {
		if (this.told.compareAndSet(false, true)) {
			this.observer.quietly(() -> this.wait.failed(reason));
		}
	}

	/** An acquisition for which the calling thread waits. */
	@FunctionalInterface
	interface Taking {

		Lease take() throws InterruptedException;

	}

}
