package io.distributedlock.engine.internal;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The timers of the engine, in a binary heap ordered by the time when they are due. A
 * thread fires them while it is in {@link #drive}; in virtual time {@link #runDue} is
 * called instead.
 * <p>
 * Guarded by its monitor, not by a {@code ReentrantLock}: timers are set under other
 * monitors, where a virtual thread that parks pins its carrier on JDK 21 to 23. The owner
 * of a lock might then wait for a carrier that its waiters have.
 */
public final class EngineLoop {

	private static final LockLog logger = LockLog.of(EngineLoop.class);

	private final Runnable alarm;

	private Runnable afterTick = () -> {
	};

	private @Nullable HeapTimer[] heap = new HeapTimer[64];

	private int size;

	/** Time when the driver comes by itself. */
	private long expectedAt = Long.MAX_VALUE;

	private volatile @Nullable Thread driver;

	private volatile boolean stopped;

	/** Create a loop for a thread that drives it. */
	public EngineLoop() {
		this.alarm = () -> LockSupport.unpark(this.driver);
	}

	/**
	 * Create a loop that is driven in virtual time.
	 * @param alarm called when a timer is due before the driver comes by itself
	 */
	public EngineLoop(Runnable alarm) {
		this.alarm = alarm;
	}

	/**
	 * Set the action after a tick.
	 * @param afterTick runs after the timers that were due together have fired
	 */
	public void afterTick(Runnable afterTick) {
		this.afterTick = afterTick;
	}

	/**
	 * Set or move a timer.
	 * @param timer the timer
	 * @param due when it fires
	 */
	public void schedule(HeapTimer timer, long due) {
		if (set(timer, due)) {
			this.alarm.run();
		}
	}

	/**
	 * Move a timer to an earlier time; a timer that is not set stays unset.
	 * @param timer the timer
	 * @param due when it fires at the latest
	 */
	public void advance(HeapTimer timer, long due) {
		boolean early;
		synchronized (this) {
			early = timer.index >= 0 && due < timer.due && set(timer, due);
		}
		if (early) {
			this.alarm.run();
		}
	}

	/** Set a timer, and return whether the driver has to come earlier for it. */
	private synchronized boolean set(HeapTimer timer, long due) {
		timer.due = due;
		if (timer.index < 0) {
			if (this.size == this.heap.length) {
				this.heap = Arrays.copyOf(this.heap, this.size * 2);
			}
			timer.index = this.size++;
		}
		sift(timer, timer.index);
		boolean early = due < this.expectedAt;
		this.expectedAt = Math.min(this.expectedAt, due);
		return early;
	}

	/**
	 * Remove a timer. It may be firing at this moment.
	 * @param timer the timer, set or not
	 */
	public synchronized void cancel(HeapTimer timer) {
		// The driver is not woken: it comes once for nothing instead of once a lock.
		int index = timer.index;
		if (index >= 0) {
			timer.index = -1;
			HeapTimer last = at(--this.size);
			this.heap[this.size] = null;
			if (last != timer) {
				sift(last, index);
			}
		}
	}

	/** Put a timer into a free slot of the heap, or above or below where it belongs. */
	private void sift(HeapTimer timer, int free) {
		int index = free;
		while (index > 0 && at((index - 1) / 2).due > timer.due) {
			place(at((index - 1) / 2), index);
			index = (index - 1) / 2;
		}
		for (int child = firstChild(index); child < this.size && at(child).due < timer.due; child = firstChild(index)) {
			place(at(child), index);
			index = child;
		}
		place(timer, index);
	}

	/** Return the child that is due first; an index beyond the size if there is none. */
	private int firstChild(int index) {
		int left = 2 * index + 1;
		return (left + 1 < this.size && at(left + 1).due < at(left).due) ? left + 1 : left;
	}

	private void place(HeapTimer timer, int index) {
		this.heap[index] = timer;
		timer.index = index;
	}

	@SuppressWarnings("NullAway") // below the size every slot is filled
	private HeapTimer at(int index) {
		return this.heap[index];
	}

	/**
	 * Fire due timers until the loop is stopped, and once more then.
	 * @param ticker the clock
	 */
	public void drive(Ticker ticker) {
		this.driver = Thread.currentThread();
		while (!this.stopped) {
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
		for (HeapTimer timer = pollDue(now); timer != null; timer = pollDue(now)) {
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
		return nextDue();
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

	private synchronized @Nullable HeapTimer pollDue(long now) {
		HeapTimer first = this.heap[0];
		if (first == null || first.due > now) {
			return null;
		}
		cancel(first);
		return first;
	}

	private synchronized long nextDue() {
		HeapTimer first = this.heap[0];
		this.expectedAt = (first != null) ? first.due : Long.MAX_VALUE;
		return this.expectedAt;
	}

	/** End the driver, and abort all timers, which will not fire. */
	public void stop() {
		this.stopped = true;
		this.alarm.run();
		for (HeapTimer timer = pollDue(Long.MAX_VALUE); timer != null; timer = pollDue(Long.MAX_VALUE)) {
			timer.abort();
		}
	}

	/**
	 * Return whether the loop was stopped, so that no timer fires any more.
	 * @return {@code true} if it was stopped
	 */
	public boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Return the number of timers that are set.
	 * @return the number at this moment
	 */
	public synchronized int size() {
		return this.size;
	}

}
