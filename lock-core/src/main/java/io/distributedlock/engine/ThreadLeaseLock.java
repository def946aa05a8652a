package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.store.LockKey;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/** A lock owned by threads. All state is in the registry and in the leases. */
final class ThreadLeaseLock implements LeaseLock {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private final DefaultLockRegistry registry;

	private final LockKey key;

	private final LockOptions options;

	/**
	 * Create a lock.
	 * @param options its mode, if the lock sets one
	 */
	ThreadLeaseLock(DefaultLockRegistry registry, LockKey key, LockOptions options) {
		this.registry = registry;
		this.key = key;
		this.options = options;
	}

	@Override
	public String key() {
		return this.key.key();
	}

	@Override
	public void lock() {
		entered(this.registry.acquireUninterruptibly(this.key, this.options, false));
	}

	@Override
	public void lock(Duration ttl) {
		entered(this.registry.acquireUninterruptibly(this.key, this.options.withTtl(ttl), false));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		entered(this.registry.acquireInterruptibly(this.key, this.options, FOREVER));
	}

	@Override
	public boolean tryLock() {
		try {
			entered(this.registry.acquireUninterruptibly(this.key, this.options, true));
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
		return tryLock(this.options, wait);
	}

	@Override
	public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
		return tryLock(this.options.withTtl(ttl), wait);
	}

	/**
	 * Acquire with a budget for this call, which overrides that of a profile. A negative
	 * time counts as zero, as {@code Lock} has it.
	 */
	private boolean tryLock(LockOptions options, Duration time) throws InterruptedException {
		Duration wait = time.isNegative() ? Duration.ZERO : time;
		try {
			entered(this.registry.acquireInterruptibly(this.key, options.withWaitFor(wait), wait));
			return true;
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	private void entered(Lease lease) {
		this.registry.threads().enter(this, lease);
	}

	@Override
	public void unlock() {
		this.registry.threads().exit(this).close();
	}

	@Override
	public Lease lease() {
		Lease innermost = this.registry.threads().innermost(this);
		if (innermost == null) {
			throw notHeld();
		}
		return innermost;
	}

	@Override
	public boolean isHeldByCurrentThread() {
		Lease innermost = this.registry.threads().innermost(this);
		return innermost != null && innermost.isHeld();
	}

	IllegalMonitorStateException notHeld() {
		return new IllegalMonitorStateException(
				"Thread '%s' does not hold lock '%s'%s".formatted(Thread.currentThread().getName(),
						DisplayText.lock(this.key.name(), key()), isReading() ? " for reading" : ""));
	}

	private boolean isReading() {
		return this.options.mode() == LockMode.READ;
	}

	/** A write lock equals the plain lock of its key. */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof ThreadLeaseLock that && this.registry == that.registry
				&& isReading() == that.isReading() && this.key.equals(that.key));
	}

	@Override
	public int hashCode() {
		return this.key.hashCode();
	}

	@Override
	public String toString() {
		return "LeaseLock[" + DisplayText.lock(this.key.name(), key())
				+ ((this.options.mode() == null) ? "]" : ", " + this.options.mode() + "]");
	}

}
