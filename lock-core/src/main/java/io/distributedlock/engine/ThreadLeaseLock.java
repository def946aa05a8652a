package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** A lock owned by threads. All state is in the registry and in the leases. */
final class ThreadLeaseLock implements LeaseLock {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private final DefaultLockRegistry registry;

	private final LockRequest request;

	private final List<LockKey> keys;

	/** Resolved when it is first needed; a race resolves it once more. */
	private @Nullable LockMode kind;

	/**
	 * Create a lock.
	 * @param request the lock, and the options that it sets; no owner and no wait
	 */
	ThreadLeaseLock(DefaultLockRegistry registry, LockRequest request) {
		this.registry = registry;
		this.request = request;
		this.keys = LockKeys.of(request);
	}

	/** Refuse what the methods of a lock decide themselves. */
	static LockRequest require(LockRequest request) {
		if (request.owner() != null) {
			throw new IllegalArgumentException(
					"A lock for %s would be owned by the calling thread: leave ownedBy out, or use acquire(request)"
						.formatted(request));
		}
		if (request.options().waitFor() != null) {
			throw new IllegalArgumentException(
					"The methods of a lock say how long they wait: leave waitFor out of %s, or use acquire(request)"
						.formatted(request));
		}
		return request;
	}

	@Override
	public String key() {
		return LockKeys.text(this.keys);
	}

	@Override
	public void lock() {
		entered(this.registry.acquireUninterruptibly(this.keys, this.request, false));
	}

	@Override
	public void lock(Duration ttl) {
		entered(this.registry.acquireUninterruptibly(this.keys, this.request.ttl(ttl), false));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		entered(this.registry.acquireInterruptibly(this.keys, this.request, FOREVER));
	}

	@Override
	public boolean tryLock() {
		try {
			entered(this.registry.acquireUninterruptibly(this.keys, this.request, true));
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
	 * Acquire with a budget for this call, which overrides that of a profile. A negative
	 * time counts as zero, as {@code Lock} has it.
	 */
	private boolean tryLock(LockRequest request, Duration time) throws InterruptedException {
		Duration wait = time.isNegative() ? Duration.ZERO : time;
		try {
			entered(this.registry.acquireInterruptibly(this.keys, request.waitFor(wait), wait));
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
						LockKeys.describe(this.keys), (kind() == LockMode.READ) ? " for reading" : ""));
	}

	/** Return the mode that counts, with one for all that have a single holder. */
	private LockMode kind() {
		LockMode known = this.kind;
		if (known == null) {
			LockMode mode = mode();
			known = mode.isExclusive() ? LockMode.EXCLUSIVE : mode;
			this.kind = known;
		}
		return known;
	}

	private LockMode mode() {
		LockOptions requested = this.request.options();
		try {
			return this.registry.resolve(this.request.name(), requested).mode;
		}
		catch (IllegalArgumentException ex) {
			// It cannot be acquired either.
			return (requested.mode() != null) ? requested.mode() : LockMode.EXCLUSIVE;
		}
	}

	/** A write lock equals the plain lock of its key. A profile may set the mode. */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof ThreadLeaseLock that && this.registry == that.registry
				&& this.keys.equals(that.keys) && kind() == that.kind());
	}

	@Override
	public int hashCode() {
		return 31 * this.keys.hashCode() + kind().hashCode();
	}

	@Override
	public String toString() {
		LockMode mode = this.request.options().mode();
		return "LeaseLock[" + LockKeys.describe(this.keys) + ((mode == null) ? "]" : ", " + mode + "]");
	}

}
