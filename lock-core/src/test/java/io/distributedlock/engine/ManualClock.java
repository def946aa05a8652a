package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.engine.internal.time.Ticker;

/**
 * A clock that a test moves. A test can also step in when a thread reads it, which is how
 * another thread gets in between two steps of the engine, every time.
 */
final class ManualClock implements Ticker {

	private final AtomicLong nanos = new AtomicLong(1_000_000_000_000L);

	private final AtomicInteger untilHook = new AtomicInteger();

	private final AtomicLong wallAhead = new AtomicLong();

	private volatile Thread watched;

	private volatile Runnable hook;

	/** Run something when the calling thread reads the clock for the n-th time. */
	void onReading(int number, Runnable hook) {
		this.hook = hook;
		this.untilHook.set(number);
		this.watched = Thread.currentThread();
	}

	/** Remove the hook of a reading; return whether it has not run. */
	boolean unhook() {
		boolean left = this.watched != null;
		this.watched = null;
		return left;
	}

	/** The machine is suspended: the monotonic clock does not know of that time. */
	void suspend(Duration time) {
		this.wallAhead.addAndGet(time.toNanos());
	}

	long wallMillis() {
		return (this.nanos.get() + this.wallAhead.get()) / 1_000_000;
	}

	void advance(Duration by) {
		this.nanos.addAndGet(by.toNanos());
	}

	void advanceTo(long nanos) {
		this.nanos.accumulateAndGet(nanos, Math::max);
	}

	/** Read without being noticed. */
	long quietly() {
		return this.nanos.get();
	}

	@Override
	public long nanos() {
		if (this.watched == Thread.currentThread() && this.untilHook.decrementAndGet() == 0) {
			this.watched = null;
			this.hook.run();
		}
		return this.nanos.get();
	}

}
