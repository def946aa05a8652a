package io.distributedlock.engine;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/** A lock owned by threads. All state is in the registry and in the leases. */
final class ThreadLeaseLock implements LeaseLock {

	private final DefaultLockRegistry registry;

	private final String key;

	private final LockRequest request;

	ThreadLeaseLock(DefaultLockRegistry registry, String key) {
		this.registry = registry;
		this.key = key;
		this.request = LockRequest.of(key);
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
		this.registry.enter(this.key, lease);
	}

	@Override
	public void unlock() {
		this.registry.exit(this.key).close();
	}

	@Override
	public Lease lease() {
		Deque<Lease> leases = this.registry.entered(this.key);
		if (leases == null) {
			throw new IllegalMonitorStateException(
					"Thread '%s' does not hold lock '%s'".formatted(Thread.currentThread().getName(), this.key));
		}
		return leases.element();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		@Nullable Deque<Lease> leases = this.registry.entered(this.key);
		return leases != null && leases.element().isHeld();
	}

	@Override
	public String toString() {
		return "LeaseLock[" + this.key + "]";
	}

}
