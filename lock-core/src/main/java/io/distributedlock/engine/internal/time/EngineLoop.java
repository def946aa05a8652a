package io.distributedlock.engine.internal.time;

import java.util.concurrent.locks.LockSupport;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Fires the timers of a heap when they are due. A thread does so while it is in
 * {@link #drive}; in virtual time {@link #runDue} is called instead.
 */
public final class EngineLoop {

	private static final LockLog logger = LockLog.of(EngineLoop.class);

	private static final long LONGEST_END_MILLIS = 2000;

	private final TimerHeap timers;

	private Runnable afterTick = () -> {
	};

	private volatile @Nullable Thread driver;

	/** Create a loop for a thread that drives it. */
	public EngineLoop() {
		this.timers = new TimerHeap(() -> LockSupport.unpark(this.driver));
	}

	/**
	 * Create a loop that is driven in virtual time.
	 * @param alarm called when a timer is due before the driver comes by itself
	 */
	public EngineLoop(Runnable alarm) {
		this.timers = new TimerHeap(alarm);
	}

	/**
	 * The timers that this loop fires.
	 * @return the heap to set them in
	 */
	public TimerHeap timers() {
		return this.timers;
	}

	/**
	 * Set the action after a tick.
	 * @param afterTick runs after the timers that were due together have fired
	 */
	public void afterTick(Runnable afterTick) {
		this.afterTick = afterTick;
	}

	/**
	 * Fire due timers until the loop is stopped, and once more then.
	 * @param ticker the clock
	 */
	public void drive(Ticker ticker) {
		this.driver = Thread.currentThread();
		while (!this.timers.isStopped()) {
			long next = runDue(ticker.nanos());
			LockSupport.parkNanos(this, next - ticker.nanos());
			// No code interrupts this thread on purpose; a flag would make it spin.
			Thread.interrupted();
		}
		runDue(ticker.nanos());
	}

	/**
	 * Fire due timers.
	 * @param now the time
	 * @return when to come again
	 */
	public long runDue(long now) {
		boolean fired = false;
		for (HeapTimer timer = this.timers.pollDue(now); timer != null; timer = this.timers.pollDue(now)) {
			fired = true;
			try {
				timer.fire(now);
			}
			catch (Throwable ex) {
				log("A timer of the lock engine failed", ex);
			}
		}
		if (fired) {
			try {
				this.afterTick.run();
			}
			catch (Throwable ex) {
				log("Renewals could not be sent; they are tried again", ex);
			}
		}
		return this.timers.nextDue();
	}

	/**
	 * Log a failure. A log that fails as well must not end the thread that renews every
	 * lock.
	 */
	private static void log(String what, Throwable failure) {
		try {
			logger.error(what, failure);
		}
		catch (Throwable ignored) {
			// It could only be reported to the log, which has just failed.
		}
	}

	/**
	 * End the driver, and abort all timers, which will not fire. Return when the timers
	 * that fire at this moment have ended, but after two seconds in any case: they may
	 * call code of the application, which may wait for this thread.
	 */
	public void stop() {
		this.timers.stop();
		for (HeapTimer timer = this.timers.pollDue(Long.MAX_VALUE); timer != null; timer = this.timers
			.pollDue(Long.MAX_VALUE)) {
			timer.abort();
		}
		Thread driven = this.driver;
		if (driven != null && driven != Thread.currentThread()) {
			try {
				driven.join(LONGEST_END_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
