package com.example;

import java.time.Duration;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;

/** An application that takes locks, and forgets to close them. */
public final class ForgetfulShop {

	private final LockRegistry locks;

	public ForgetfulShop(LockRegistry locks) {
		this.locks = locks;
	}

	/**
	 * Acquire and wait.
	 * @return the token, all that is kept of the lease
	 */
	public long sell(LockRequest request) {
		return take(request).fencingToken();
	}

	private Lease take(LockRequest request) {
		return this.locks.acquire(request);
	}

	public void sellIfFree(LockRequest request) {
		this.locks.tryAcquire(request).orElseThrow();
	}

	public void sellLater(LockRequest request) {
		this.locks.acquireAsync(request).toCompletableFuture().join();
	}

	/** Close one lease of the owner, and forget the one inside. */
	public void sellAgain(LockRequest request) {
		LockRequest owned = request.ownedBy("till 1");
		try (Lease outer = this.locks.acquire(owned)) {
			sell(owned);
		}
	}

	public void sellWhatTheThreadOwns(String key) {
		this.locks.getLock("stock", key).lock(Duration.ofMillis(500));
	}

	/** Work that is done from here. */
	public <T> T work(Supplier<T> work) {
		return work.get();
	}

}
