package io.distributedlock.engine.internal;

/**
 * A monotonic clock that compares itself with the wall clock at each reading. On Linux
 * {@link System#nanoTime()} stands still while a machine is suspended, and a process that
 * is restored from an image goes on with the time of the image: leases seem to be good
 * that ended long ago. The wall clock is ahead then, as it is when it was set forward.
 * What the store confirmed before such a jump was noticed is in doubt. A jump is what
 * exceeds 2 ms, or 3 ms by the rounding of the wall clock, and a thousandth of the time
 * since the last look, twice of what a clock is slewed by.
 * <p>
 * Thread-safe. A reading without a jump costs one look at each clock, and writes nothing
 * but once a second.
 */
public final class ClockWatch implements Ticker {

	/** What the steps of a clock that counts in milliseconds can look like. */
	private static final long FIXED_NANOS = 2_000_000;

	/** The allowance grows with the time since the last look, so that is not long ago. */
	private static final long LOOK_NANOS = 1_000_000_000;

	/**
	 * Where nothing is held, nothing looks: what is allowed then must not grow for ever.
	 */
	private static final long MOST_ELAPSED_NANOS = 60_000_000_000L;

	/** Readings of both clocks that lie no further apart are as good as one. */
	private static final long TOGETHER_NANOS = 200_000;

	/** How often to try that, on a machine where each thread is interrupted. */
	private static final int TRIES = 3;

	private final Ticker ticker;

	private final WallClock wallClock;

	private final Runnable beforeDoubt;

	private final Runnable onDoubt;

	/** The wall clock less the monotonic one; too little would make a jump of nothing. */
	private volatile long offset;

	private volatile long lookedAt;

	private volatile int jumps;

	private volatile long doubtedAt = Long.MIN_VALUE;

	/**
	 * Create a watch.
	 * @param ticker the monotonic clock
	 * @param wallClock the clock to compare it with
	 * @param beforeDoubt what to do when a jump is noticed, before anything is in doubt
	 * @param onDoubt what to do then; both are called by the reader of the clock, so they
	 * must neither block nor read the clock
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
		// The wall clock first: a pause between the two must not look like a jump.
		long wall = wallNanos();
		long now = this.ticker.nanos();
		long ahead = wall - now - this.offset;
		if (Math.abs(ahead) > FIXED_NANOS || now - this.lookedAt > LOOK_NANOS) {
			now = look();
		}
		// One nanosecond more for each jump: what was sent before it is earlier in any
		// case.
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
	 * Whether the store has to confirm again what it was asked at a time.
	 * @param time when the store was asked
	 * @return whether a jump was noticed after that
	 */
	public boolean doubts(long time) {
		return time < this.doubtedAt;
	}

	/**
	 * Compare the clocks between two readings of the monotonic one. A pause in between
	 * makes the wall clock look slow to the second of them, which hides a jump from this
	 * look, and fast to the first, by which it is not set back then.
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

	/** Doubt all that was confirmed so far, though no clock shows a reason. */
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
