package io.distributedlock.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices that a process has stood still without a fault of the run: for a collection, a
 * disk, want of a processor, or with the whole machine. It is no fault of the library
 * that its holders and waiters did nothing meanwhile. A long standstill is known only
 * after it. The checker's slack is for shorter pauses.
 */
final class Pulse implements AutoCloseable {

	/** Some of these one after the other are less than the slack. */
	static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	private static final Duration INTERVAL = Duration.ofMillis(50);

	private final Beat beat;

	private final Standstill standstill;

	private final Thread thread = new Thread(this::beatOn, "pulse");

	private long last;

	private volatile boolean closed;

	/**
	 * Take the first beat.
	 * @param beat records a time, as all threads of the process that record do
	 * @param standstill is told when it has taken too long
	 */
	Pulse(Beat beat, Standstill standstill) throws IOException {
		this.beat = beat;
		this.standstill = standstill;
		this.last = beat.time();
		this.thread.setDaemon(true);
	}

	/** Beat until the end of the process, or of this. */
	Pulse start() {
		this.thread.start();
		return this;
	}

	private void beatOn() {
		try {
			while (!this.closed) {
				LockSupport.parkNanos(INTERVAL.toNanos());
				beat();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void beat() throws IOException {
		long now = this.beat.time();
		if (now - this.last > LONGEST_PAUSE.toNanos()) {
			this.standstill.lasted(this.last, now);
		}
		this.last = now;
	}

	/** Beat once more, so that nothing is missed before. */
	@Override
	public void close() throws IOException {
		this.closed = true;
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		beat();
	}

	/** Is done again and again, and says when it was. */
	@FunctionalInterface
	interface Beat {

		long time() throws IOException;

	}

	/** Is told of a time in which nothing was done. */
	@FunctionalInterface
	interface Standstill {

		void lasted(long begin, long end);

	}

}
