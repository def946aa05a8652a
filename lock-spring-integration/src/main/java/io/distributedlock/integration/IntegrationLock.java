package io.distributedlock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of this library with the answers and exceptions of Spring Integration. All state
 * is in the leases, and in the holds of the registry.
 */
final class IntegrationLock implements DistributedLock {

	private final String name;

	private final LeaseLock lock;

	private final ThreadHolds holds;

	IntegrationLock(String name, LeaseLock lock, ThreadHolds holds) {
		this.name = name;
		this.lock = lock;
		this.holds = holds;
	}

	@Override
	public void lock() {
		await(() -> {
			this.lock.lock();
			return true;
		});
	}

	@Override
	public void lock(Duration ttl) {
		await(() -> {
			this.lock.lock(ttl);
			return true;
		});
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		await(() -> {
			this.lock.lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return enter(this.lock::tryLock);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return enter(() -> this.lock.tryLock(time, unit));
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return enter(() -> this.lock.tryLock(waitTime, ttl));
	}

	/**
	 * Enter as often as it takes: a lease that was lost is in the way only once. Its
	 * {@code unlock()} still reports the loss.
	 */
	private <E extends Exception> void await(Attempt<E> attempt) throws E {
		boolean entered;
		do {
			entered = enter(attempt);
		}
		while (!entered);
	}

	/**
	 * Enter, unless the thread has a lease that was lost. A leader renews by entering,
	 * and would go on as one if it got the lock anew. A lease that is reported as lost
	 * may only be in doubt. It is entered again then, for which the store confirms it.
	 */
	private <E extends Exception> boolean enter(Attempt<E> attempt) throws E {
		do {
			if (this.holds.endLost(this.lock)) {
				return false;
			}
			try {
				return enterOnce(attempt);
			}
			catch (LockLostException ex) {
				// Lost or in doubt.
			}
			catch (LockStoreException ex) {
				throw new CannotAcquireLockException(ex.getMessage(), ex);
			}
		}
		while (this.holds.holds(this.lock));
		return false;
	}

	/** An attempt during which the lease was lost may have got the lock anew. */
	private <E extends Exception> boolean enterOnce(Attempt<E> attempt) throws E {
		Lease before = this.holds.holds(this.lock) ? this.lock.lease() : null;
		boolean entered = attempt.run();
		if (before != null && before.isLost()) {
			this.holds.endLost(this.lock, entered);
			return false;
		}
		if (entered) {
			this.holds.entered(this.lock);
		}
		return entered;
	}

	@Override
	public void unlock() {
		try {
			if (!this.holds.exit(this.lock)) {
				throw notHeld();
			}
		}
		catch (LockLostException ex) {
			throw new ConcurrentModificationException(ex.getMessage(), ex);
		}
	}

	/**
	 * Extend the lease. One that is reported as lost may only be in doubt. It is extended
	 * again then.
	 */
	void renew(Duration ttl) {
		if (!this.holds.holds(this.lock)) {
			throw notHeld();
		}
		Lease lease = this.lock.lease();
		LockLostException loss;
		do {
			try {
				lease.extend(ttl);
				return;
			}
			catch (LockLostException ex) {
				loss = ex;
			}
		}
		while (!lease.isLost());
		throw new IllegalStateException(loss.getMessage(), loss);
	}

	private IllegalStateException notHeld() {
		return new IllegalStateException(
				"Thread '%s' does not hold lock '%s' by this registry: unlock and renew it on the thread that has locked it, and unlock it once for each lock"
					.formatted(Thread.currentThread().getName(), DisplayText.lock(this.name, this.lock.key())));
	}

	@Override
	public Condition newCondition() {
		return this.lock.newCondition();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other
				|| (other instanceof IntegrationLock that && this.holds == that.holds && this.lock.equals(that.lock));
	}

	@Override
	public int hashCode() {
		return this.lock.hashCode();
	}

	@Override
	public String toString() {
		return "IntegrationLock[" + DisplayText.lock(this.name, this.lock.key()) + "]";
	}

	/** A way to acquire the lock. */
	@FunctionalInterface
	private interface Attempt<E extends Exception> {

		boolean run() throws E;

	}

}
