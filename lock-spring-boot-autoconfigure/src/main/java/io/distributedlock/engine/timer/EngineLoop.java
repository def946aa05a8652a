package io.distributedlock.engine.timer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The timers of the engine. Has no thread: {@link #runDue} is called by the one that
 * drives it, which is told by the alarm when it must come earlier than it said.
 */
public final class EngineLoop {

	private static final Log logger = LogFactory.getLog(EngineLoop.class);

	/**
	 * Guarded by its monitor, not by a {@code ReentrantLock}: timers are set under other
	 * monitors, where a virtual thread that parks pins its carrier on JDK 21 to 23. The
	 * owner of a lock might then wait for a carrier that its waiters have.
	 */
	private final TimerHeap timers = new TimerHeap();

	private final Runnable alarm;

	private Runnable afterTick = () -> {
	};

	/** When the driver will come by itself; guarded by the timers. */
	private long expectedAt = Long.MAX_VALUE;

	/**
	 * Create a loop.
	 * @param alarm called when a timer is due before the driver comes by itself
	 */
	public EngineLoop(Runnable alarm) {
		this.alarm = alarm;
	}

	/**
	 * Set what follows a tick.
	 * @param afterTick what to do after the timers that were due together have fired
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
		boolean early;
		synchronized (this.timers) {
			this.timers.put(timer, due);
			early = due < this.expectedAt;
			if (early) {
				this.expectedAt = due;
			}
		}
		if (early) {
			this.alarm.run();
		}
	}

	/**
	 * Take a timer back. It may be firing at this moment.
	 * @param timer the timer, set or not
	 */
	public void cancel(HeapTimer timer) {
		synchronized (this.timers) {
			// The driver is not told: it comes once for nothing instead of once a lock.
			this.timers.remove(timer);
		}
	}

	/**
	 * Fire what is due.
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
				logger.error("A timer of the lock engine failed", ex);
			}
		}
		if (fired) {
			try {
				this.afterTick.run();
			}
			catch (Throwable ex) {
				logger.error("Renewals could not be sent; they are tried again", ex);
			}
		}
		return nextDue();
	}

	/** Take all timers out, and tell them that their time will not come. */
	public void abortAll() {
		for (HeapTimer timer = pollDue(Long.MAX_VALUE); timer != null; timer = pollDue(Long.MAX_VALUE)) {
			timer.abort();
		}
	}

	private @Nullable HeapTimer pollDue(long now) {
		synchronized (this.timers) {
			HeapTimer first = this.timers.peek();
			if (first == null || first.due > now) {
				return null;
			}
			this.timers.remove(first);
			return first;
		}
	}

	private long nextDue() {
		synchronized (this.timers) {
			HeapTimer first = this.timers.peek();
			this.expectedAt = (first != null) ? first.due : Long.MAX_VALUE;
			return this.expectedAt;
		}
	}

	/**
	 * How many timers are set.
	 * @return the number at this moment
	 */
	public int size() {
		synchronized (this.timers) {
			return this.timers.size();
		}
	}

}
