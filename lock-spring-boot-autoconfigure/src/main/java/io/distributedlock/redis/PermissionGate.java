package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;

import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps acquisitions back until it is known that the user may do what comes after them.
 * Open until a check is asked for, and then after the first that finds nothing missing.
 * While that has not been, each acquisition waits for a check. Thread-safe.
 */
final class PermissionGate implements AutoCloseable {

	private final Supplier<CompletableFuture<?>> contact;

	private final Runnable probe;

	private final ThreadPoolExecutor thread = DaemonThreads.pool("redis-probe", 1);

	private final Object monitor = new Object();

	private volatile boolean open = true;

	/** Guarded by the monitor. */
	private @Nullable CompletableFuture<Void> checking;

	/**
	 * Create a gate.
	 * @param contact asks the store for anything, without blocking; ends the check if it
	 * fails. What blocks comes only after it, so that no thread waits for a silent server
	 * @param probe blocks, and throws what the check ends with
	 */
	PermissionGate(Supplier<CompletableFuture<?>> contact, Runnable probe) {
		this.contact = contact;
		this.probe = probe;
	}

	/** Check now. Calls at the same time share one check. */
	CompletableFuture<Void> check() {
		CompletableFuture<Void> check;
		synchronized (this.monitor) {
			if (this.checking != null) {
				return this.checking;
			}
			this.open = false;
			check = new CompletableFuture<>();
			this.checking = check;
		}
		this.contact.get().whenComplete((answer, failure) -> {
			if (failure != null) {
				settle(check, RedisErrors.unwrapped(failure));
			}
			else {
				start(check);
			}
		});
		return check;
	}

	private void start(CompletableFuture<Void> check) {
		try {
			this.thread.execute(() -> probe(check));
		}
		catch (RejectedExecutionException ex) {
			settle(check, new IllegalStateException("The lock store is closed", ex));
		}
	}

	private void probe(CompletableFuture<Void> check) {
		Throwable failure = null;
		try {
			this.probe.run();
		}
		catch (Throwable ex) {
			failure = ex;
		}
		settle(check, failure);
	}

	@SuppressWarnings("NullAway")
	private void settle(CompletableFuture<Void> check, @Nullable Throwable failure) {
		synchronized (this.monitor) {
			this.checking = null;
			this.open = failure == null;
		}
		if (failure == null) {
			check.complete(null);
		}
		else {
			check.completeExceptionally(failure);
		}
	}

	/** Whether acquisitions need not wait for a check. */
	boolean isOpen() {
		return this.open;
	}

	/**
	 * Do something when it is known to be allowed.
	 * @param command what to do
	 * @return its result; cancelling it reaches the command, or keeps it from being sent
	 */
	<T> CompletableFuture<T> enter(Supplier<CompletableFuture<T>> command) {
		return this.open ? command.get() : Futures.then(check().copy(), command);
	}

	/** End a probe that is under way. Waits for it a moment. */
	@Override
	public void close() {
		DaemonThreads.end(this.thread);
		DaemonThreads.awaitEnd(this.thread);
	}

}
