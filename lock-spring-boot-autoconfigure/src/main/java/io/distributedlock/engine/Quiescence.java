package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.distributedlock.engine.timer.Ticker;

/**
 * Whether an instance is open, and what it holds and has under way, so that closing can
 * wait for the end of that. Thread-safe.
 */
final class Quiescence {

	private final Ticker ticker;

	private final AtomicInteger held = new AtomicInteger();

	/** Releases of held grants that await confirmation. */
	final AtomicInteger releases = new AtomicInteger();

	/** Ends of requests that may have been applied, and await confirmation. */
	final AtomicInteger abandons = new AtomicInteger();

	private final Object idle = new Object();

	private volatile boolean closed;

	private volatile boolean stopped;

	Quiescence(Ticker ticker) {
		this.ticker = ticker;
	}

	/** Counted before the grant is visible, so that closing does not miss it. */
	void holdBegins() {
		this.held.incrementAndGet();
	}

	void holdEnds() {
		this.held.decrementAndGet();
		signal();
	}

	/** From here on no lock is handed out. */
	void close() {
		this.closed = true;
	}

	boolean isClosed() {
		return this.closed;
	}

	/** From here on the loop has no driver, so nothing may wait for a time-out. */
	void stop() {
		this.stopped = true;
	}

	boolean isStopped() {
		return this.stopped;
	}

	int heldCount() {
		return this.held.get();
	}

	int backgroundCount() {
		return this.releases.get() + this.abandons.get();
	}

	/**
	 * Wait until no lock is held and every release is confirmed.
	 * @param nanos the longest time to wait
	 * @return whether it is so
	 */
	boolean awaitHolders(long nanos) throws InterruptedException {
		return await(nanos, () -> heldCount() + this.releases.get() == 0);
	}

	/** As {@link #awaitHolders}, and no abandoned request awaits confirmation. */
	boolean awaitIdle(long nanos) throws InterruptedException {
		return await(nanos, () -> heldCount() + backgroundCount() == 0);
	}

	private boolean await(long nanos, BooleanSupplier reached) throws InterruptedException {
		long deadline = this.ticker.nanos() + nanos;
		synchronized (this.idle) {
			while (!reached.getAsBoolean()) {
				long left = deadline - this.ticker.nanos();
				if (left <= 0) {
					return false;
				}
				this.idle.wait(left / 1_000_000 + 1);
			}
			return true;
		}
	}

	/** Something has ended. */
	void signal() {
		if (this.closed) {
			synchronized (this.idle) {
				this.idle.notifyAll();
			}
		}
	}

}
