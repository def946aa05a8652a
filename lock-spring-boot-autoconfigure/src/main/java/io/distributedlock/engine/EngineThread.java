package io.distributedlock.engine;

import java.util.concurrent.locks.LockSupport;

import io.distributedlock.engine.timer.EngineLoop;
import io.distributedlock.engine.timer.Ticker;
import io.distributedlock.store.DaemonThreadFactory;

/** The one daemon thread that drives the loop. No code of users runs on it. */
final class EngineThread {

	private final Ticker ticker;

	private final EngineLoop loop;

	private final Thread thread;

	private volatile boolean stopped;

	EngineThread(Ticker ticker) {
		this.ticker = ticker;
		this.thread = new DaemonThreadFactory("distributed-lock-engine-").newThread(this::run);
		this.loop = new EngineLoop(() -> LockSupport.unpark(this.thread));
	}

	EngineLoop loop() {
		return this.loop;
	}

	void start() {
		this.thread.start();
	}

	/** Fire what is due once more, and end. */
	void stop() {
		this.stopped = true;
		LockSupport.unpark(this.thread);
	}

	private void run() {
		while (!this.stopped) {
			runUntilDue();
		}
		this.loop.runDue(this.ticker.nanos());
	}

	private void runUntilDue() {
		long next = this.loop.runDue(this.ticker.nanos());
		long sleep = next - this.ticker.nanos();
		if (next == Long.MAX_VALUE) {
			LockSupport.park(this);
		}
		else if (sleep > 0) {
			LockSupport.parkNanos(this, sleep);
		}
		// No code interrupts this thread on purpose; a flag would make it spin.
		Thread.interrupted();
	}

}
