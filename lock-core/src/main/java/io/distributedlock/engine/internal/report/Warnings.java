package io.distributedlock.engine.internal.report;

import java.time.Duration;

import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The log of one kind of trouble with locks. The first lock has a line of its own at
 * once. Locks that follow within a second share one, with their number and the text of
 * the last one: an outage that loses a hundred thousand locks must not fill the log. The
 * timer is the end of that second. Thread-safe.
 */
final class Warnings extends HeapTimer {

	static final Duration WINDOW = Duration.ofSeconds(1);

	private static final LockLog logger = LockLog.of(Warnings.class);

	private final Instance instance;

	private final String what;

	/** Number of locks whose line is held back; guarded by this. */
	private int waiting;

	private @Nullable LogLine last;

	/**
	 * Time from which the next warning is logged at once; those before it are counted in
	 * one line. Guarded by this.
	 */
	private long windowEnd = Long.MIN_VALUE;

	/** {@code true} once no timer fires any more; guarded by this. */
	private boolean stopped;

	/**
	 * Create a log.
	 * @param what the trouble of several locks, after their number
	 */
	Warnings(Instance instance, String what) {
		this.instance = instance;
		this.what = what;
	}

	/** Log the line of a lock, at once or with those of others. */
	void warn(LogLine line) {
		if (isFirst(line)) {
			line.write(() -> logger.warn(line.text().get()));
		}
	}

	private synchronized boolean isFirst(LogLine line) {
		long now = this.instance.now();
		if (this.stopped || (this.waiting == 0 && now >= this.windowEnd)) {
			this.windowEnd = now + WINDOW.toNanos();
			return true;
		}
		if (this.waiting++ == 0) {
			this.instance.timers.schedule(this, this.windowEnd);
		}
		this.last = line;
		return false;
	}

	@Override
	public void fire(long now) {
		flush();
	}

	/** Write the line that is held back, since no timer fires any more. */
	void stop() {
		synchronized (this) {
			this.stopped = true;
		}
		flush();
	}

	private void flush() {
		LogLine line;
		int count;
		synchronized (this) {
			line = this.last;
			count = this.waiting;
			if (line == null) {
				return;
			}
			this.waiting = 0;
			this.last = null;
			this.windowEnd = this.instance.now() + WINDOW.toNanos();
		}
		String text = line.text().get();
		line.write(
				() -> logger.warn((count == 1) ? text : "%d more %s. The last: %s".formatted(count, this.what, text)));
	}

}
