package io.distributedlock.engine.internal.time;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The timers of the engine, in a binary heap ordered by the time when they are due. It
 * fires none of them: an {@link EngineLoop} takes those that are due. Thread-safe.
 * <p>
 * Guarded by its monitor, not by a {@code ReentrantLock}: timers are set under other
 * monitors, where a virtual thread that parks pins its carrier on JDK 21 to 23. The owner
 * of a lock might then wait for a carrier that its waiters have.
 */
public final class TimerHeap {

	/** Stands where a timer was, so that it is not kept in memory. */
	private static final HeapTimer NONE = new HeapTimer() {
		@Override
		public void fire(long now) {
		}
	};

	private final Runnable alarm;

	/** The timers, and behind them slots of which the content does not matter. */
	private HeapTimer[] heap = new HeapTimer[64];

	private int size;

	/** Time when the driver comes by itself. */
	private long expectedAt = Long.MAX_VALUE;

	private volatile boolean stopped;

	/**
	 * Create an empty heap.
	 * @param alarm called when a timer is due before the driver comes by itself
	 */
	TimerHeap(Runnable alarm) {
		this.alarm = alarm;
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
			HeapTimer last = this.heap[--this.size];
			this.heap[this.size] = NONE;
			if (last != timer) {
				sift(last, index);
			}
		}
	}

	/** Put a timer into a free slot of the heap, or above or below where it belongs. */
	private void sift(HeapTimer timer, int free) {
		HeapTimer[] all = this.heap;
		int index = free;
		while (index > 0 && all[(index - 1) / 2].due > timer.due) {
			HeapTimer parent = all[(index - 1) / 2];
			all[index] = parent;
			parent.index = index;
			index = (index - 1) / 2;
		}
		for (int child = 2 * index + 1; child < this.size; child = 2 * index + 1) {
			if (child + 1 < this.size && all[child + 1].due < all[child].due) {
				child++;
			}
			if (all[child].due >= timer.due) {
				break;
			}
			all[index] = all[child];
			all[index].index = index;
			index = child;
		}
		all[index] = timer;
		timer.index = index;
	}

	/** Take the timer that is due first, if one is due. */
	synchronized @Nullable HeapTimer pollDue(long now) {
		if (this.size == 0 || this.heap[0].due > now) {
			return null;
		}
		HeapTimer first = this.heap[0];
		cancel(first);
		return first;
	}

	/** Return when the driver has to come again. */
	synchronized long nextDue() {
		this.expectedAt = (this.size > 0) ? this.heap[0].due : Long.MAX_VALUE;
		return this.expectedAt;
	}

	/** Let no timer fire from here on, and wake up the driver. */
	void stop() {
		this.stopped = true;
		this.alarm.run();
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
