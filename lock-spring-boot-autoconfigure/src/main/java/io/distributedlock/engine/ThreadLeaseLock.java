package io.distributedlock.engine;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/** A lock owned by threads. All state is in the registry and in the leases. */
final class ThreadLeaseLock implements LeaseLock {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private final DefaultLockRegistry registry;

	private final LockMode mode;

	private final LockRequest request;

	ThreadLeaseLock(DefaultLockRegistry registry, LockRequest request, LockMode mode) {
		this.registry = registry;
		this.mode = mode;
		this.request = request.mode(mode);
	}

	@Override
	public String key() {
		return this.request.keys().get(0);
	}

	@Override
	public void lock() {
		entered(this.registry.acquireUninterruptibly(this.request.ownedByCurrentThread(), false));
	}

	@Override
	public void lock(Duration ttl) {
		entered(this.registry.acquireUninterruptibly(this.request.ttl(ttl).ownedByCurrentThread(), false));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		entered(this.registry.acquireInterruptibly(this.request.ownedByCurrentThread(), FOREVER));
	}

	@Override
	public boolean tryLock() {
		try {
			entered(this.registry.acquireUninterruptibly(this.request.ownedByCurrentThread(), true));
			return true;
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLock(Duration.ofNanos(unit.toNanos(time)));
	}

	@Override
	public boolean tryLock(Duration wait) throws InterruptedException {
		return tryLock(this.request, wait);
	}

	@Override
	public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
		return tryLock(this.request.ttl(ttl), wait);
	}

	/**
	 * A lock says how long to wait at each call, so that a profile does not. Nothing is
	 * left of a negative time: the same as of none, as {@code Lock} has it.
	 */
	private boolean tryLock(LockRequest wanted, Duration time) throws InterruptedException {
		Duration wait = time.isNegative() ? Duration.ZERO : time;
		try {
			entered(this.registry.acquireInterruptibly(wanted.waitFor(wait).ownedByCurrentThread(), wait));
			return true;
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	private void entered(Lease lease) {
		this.registry.threads().enter(place(), lease);
	}

	@Override
	public void unlock() {
		this.registry.threads().exit(place()).close();
	}

	@Override
	public Lease lease() {
		Deque<Lease> leases = this.registry.threads().entered(place());
		if (leases == null) {
			throw place().notHeld();
		}
		return leases.element();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		@Nullable Deque<Lease> leases = this.registry.threads().entered(place());
		return leases != null && leases.element().isHeld();
	}

	/** A writer has what the plain lock is. */
	private ThreadLeases.Place place() {
		return new ThreadLeases.Place(this.request.name(), key(), this.mode == LockMode.READ);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof ThreadLeaseLock that && this.registry == that.registry && place().equals(that.place());
	}

	@Override
	public int hashCode() {
		return place().hashCode();
	}

	@Override
	public String toString() {
		return "LeaseLock[" + LockException.described(this.request.name(), key())
				+ ((this.mode == LockMode.DEFAULT) ? "]" : ", " + this.mode + "]");
	}

}
