package io.distributedlock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/** A lock owned by threads. All state is in the registry and in the leases. */
final class ThreadLeaseLock implements LeaseLock {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private static final Map<LockMode, LockOptions> OPTIONS = Arrays.stream(LockMode.values())
		.collect(Collectors.toMap(Function.identity(), LockOptions.NONE::withMode));

	private final DefaultLockRegistry registry;

	private final LockMode mode;

	private final LockRequest request;

	ThreadLeaseLock(DefaultLockRegistry registry, LockRequest request, LockMode mode) {
		this.registry = registry;
		this.mode = mode;
		this.request = request.options(Objects.requireNonNull(OPTIONS.get(mode)));
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
						LockException.described(this.request.name(), key()), isReading() ? " for reading" : ""));
	}

	private boolean isReading() {
		return this.mode == LockMode.READ;
	}

	/** A writer has what the plain lock is. */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof ThreadLeaseLock that && this.registry == that.registry
				&& isReading() == that.isReading() && key().equals(that.key())
				&& this.request.name().equals(that.request.name()));
	}

	@Override
	public int hashCode() {
		return 31 * key().hashCode() + this.request.name().hashCode();
	}

	@Override
	public String toString() {
		return "LeaseLock[" + LockException.described(this.request.name(), key())
				+ ((this.mode == LockMode.DEFAULT) ? "]" : ", " + this.mode + "]");
	}

}
