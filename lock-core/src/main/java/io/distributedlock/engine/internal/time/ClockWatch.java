package io.distributedlock.engine.internal.time;

/**
 * A monotonic clock that compares itself with the wall clock at each reading. On Linux
 * {@link System#nanoTime()} stands still while a machine is suspended. A process that is
 * restored from an image goes on with the time of the image. In both cases leases seem to
 * be good that ended long ago, and the wall clock is ahead, as it is when it was set
 * forward. Every answer of the store from before such a jump was noticed is in doubt.
 * <p>
 * A jump exceeds 2 ms, or 3 ms by the rounding of the wall clock, and a thousandth of the
 * time since the last look. That is twice the rate at which a clock is slewed.
 * <p>
 * Thread-safe. A reading without a jump costs one look at each clock, and writes only
 * once a second.
 */
public final class ClockWatch implements Ticker {

	/** Allowance for the steps of a clock that counts in milliseconds. */
	private static final long FIXED_NANOS = 2_000_000;

	/** Longest time between two looks, since the allowance grows with it. */
	private static final long LOOK_NANOS = 1_000_000_000;

	/**
	 * Most elapsed time that counts for the allowance, which must not grow for ever: an
	 * instance that holds nothing does not look.
	 */
	private static final long MOST_ELAPSED_NANOS = 60_000_000_000L;

	/** Readings of both clocks that lie no further apart are as good as one. */
	private static final long TOGETHER_NANOS = 200_000;

	/** Number of tries to read both clocks together, where each thread is interrupted. */
	private static final int TRIES = 3;

	private final Ticker ticker;

	private final WallClock wallClock;

	private final Runnable beforeDoubt;

	private final Runnable onDoubt;

	/**
	 * The wall clock less the monotonic one. Too small a value would show a false jump.
	 */
	private volatile long offset;

	private volatile long lookedAt;

	private volatile int jumps;

	private volatile long doubtedAt = Long.MIN_VALUE;

	/**
	 * Create a watch.
	 * @param ticker the monotonic clock
	 * @param wallClock the clock to compare it with
	 * @param beforeDoubt called when a jump is noticed, before anything is in doubt
	 * @param onDoubt called after that; the reader of the clock calls both, so they must
	 * neither block nor read the clock
	 */
	public ClockWatch(Ticker ticker, WallClock wallClock, Runnable beforeDoubt, Runnable onDoubt) {
		this.ticker = ticker;
		this.wallClock = wallClock;
		this.beforeDoubt = beforeDoubt;
		this.onDoubt = onDoubt;
		this.lookedAt = ticker.nanos();
		this.offset = wallNanos() - this.lookedAt;
		look();
	}

	@Override
	public long nanos() {
		// Read the wall clock first: a pause between the two must not look like a jump.
		long wall = this.wallClock.millis() * 1_000_000;
		long now = this.ticker.nanos();
		long ahead = wall - now - this.offset;
		if (Math.abs(ahead) > FIXED_NANOS || now - this.lookedAt > LOOK_NANOS) {
			now = look();
		}
		// Add a nanosecond for each jump, so that commands sent before it are always
		// earlier.
		return now + this.jumps;
	}

	/**
	 * The time before which no answer of the store counts any more.
	 * @return when the last jump was noticed
	 */
	public long doubtedAt() {
		return this.doubtedAt;
	}

	/**
	 * Return whether a jump was noticed after the store was asked, so that it has to
	 * confirm its answer again.
	 * @param time when the store was asked
	 * @return {@code true} if a jump was noticed after that
	 */
	public boolean doubts(long time) {
		return time < this.doubtedAt;
	}

	/**
	 * Compare the clocks between two readings of the monotonic one. A pause in between
	 * makes the wall clock look slow to the second reading, which hides a jump from this
	 * look. To the first reading the wall clock looks fast, so the offset does not get
	 * too small.
	 * @return the time
	 */
	private synchronized long look() {
		long before;
		long wall;
		long now;
		int left = TRIES;
		do {
			before = this.ticker.nanos();
			wall = wallNanos();
			now = this.ticker.nanos();
			left--;
		}
		while (now - before > TOGETHER_NANOS && left > 0);
		long elapsed = Math.min(Math.max(0, now - this.lookedAt), MOST_ELAPSED_NANOS);
		boolean ahead = wall - now - this.offset > FIXED_NANOS + elapsed / 1000;
		if (ahead) {
			jump(now);
		}
		boolean together = now - before <= TOGETHER_NANOS;
		if (together) {
			this.lookedAt = now;
		}
		this.offset = (together || ahead) ? wall - before : Math.min(this.offset, wall - before);
		return now;
	}

	/** Doubt all earlier answers of the store, though no clock shows a reason. */
	public synchronized void distrust() {
		jump(this.ticker.nanos());
	}

	private void jump(long now) {
		this.beforeDoubt.run();
		this.doubtedAt = now + this.jumps + 1;
		this.jumps++;
		this.onDoubt.run();
	}

	private long wallNanos() {
		return this.wallClock.millis() * 1_000_000;
	}

}
