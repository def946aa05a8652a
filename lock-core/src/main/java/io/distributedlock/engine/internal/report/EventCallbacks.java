package io.distributedlock.engine.internal.report;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.engine.internal.instance.Callbacks;
import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.text.LockLog;

/**
 * The executor that passes events to listeners. At most {@link #MOST_WAITING} events wait
 * for a thread. Further ones are dropped and counted: the lock must not wait for
 * listeners, and memory is limited.
 */
public final class EventCallbacks implements Executor {

	public static final int MOST_WAITING = 4096;

	private static final LockLog logger = LockLog.of(EventCallbacks.class);

	private static final long WARNING_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Callbacks callbacks = new Callbacks("distributed-lock-event", 4);

	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicLong dropped = new AtomicLong();

	private final AtomicLong warnAt;

	private final Ticker ticker;

	public EventCallbacks(Ticker ticker) {
		this.ticker = ticker;
		this.warnAt = new AtomicLong(ticker.nanos());
	}

	@Override
	public void execute(Runnable task) {
		if (this.waiting.incrementAndGet() > MOST_WAITING) {
			this.waiting.decrementAndGet();
			drop();
			return;
		}
		this.callbacks.execute(() -> {
			this.waiting.decrementAndGet();
			task.run();
		});
	}

	private void drop() {
		long count = this.dropped.incrementAndGet();
		long due = this.warnAt.get();
		long now = this.ticker.nanos();
		if (now - due >= 0 && this.warnAt.compareAndSet(due, now + WARNING_PAUSE_NANOS)) {
			logger.warn(("%d events of locks have been dropped so far: %d wait for listeners that are too slow. Let "
					+ "listeners hand over what takes long")
				.formatted(count, MOST_WAITING));
		}
	}

	/** Return the number of events that were dropped so far. */
	public long dropped() {
		return this.dropped.get();
	}

}
