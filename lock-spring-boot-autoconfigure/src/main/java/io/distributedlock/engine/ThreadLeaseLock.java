package io.distributedlock.engine;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/** A lock owned by threads. All state is in the registry and in the leases. */
final class ThreadLeaseLock implements LeaseLock {

	private final DefaultLockRegistry registry;

	private final String key;

	private final LockMode mode;

	private final LockRequest request;

	ThreadLeaseLock(DefaultLockRegistry registry, String key, LockMode mode) {
		this.registry = registry;
		this.key = key;
		this.mode = mode;
		this.request = LockRequest.of(key).mode(mode);
	}

	@Override
	public String key() {
		return this.key;
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
		LockRequest forever = this.request.waitFor(Duration.ofSeconds(Long.MAX_VALUE)).ownedByCurrentThread();
		entered(this.registry.acquireInterruptibly(forever));
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
		return tryLock(Duration.ofNanos(Math.max(0, unit.toNanos(time))));
	}

	@Override
	public boolean tryLock(Duration wait) throws InterruptedException {
		return tryLock(this.request.waitFor(wait));
	}

	@Override
	public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
		return tryLock(this.request.waitFor(wait).ttl(ttl));
	}

	private boolean tryLock(LockRequest wanted) throws InterruptedException {
		try {
			entered(this.registry.acquireInterruptibly(wanted.ownedByCurrentThread()));
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
		return new ThreadLeases.Place(this.key, this.mode == LockMode.READ);
	}

	@Override
	public String toString() {
		return "LeaseLock[" + this.key + ((this.mode == LockMode.DEFAULT) ? "]" : ", " + this.mode + "]");
	}

}
