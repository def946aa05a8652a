package io.distributedlock.engine.timer;

/**
 * A monotonic clock that compares itself with the wall clock at each reading. On Linux
 * {@link System#nanoTime()} stands still while a machine is suspended, and a process that
 * is restored from an image goes on with the time of the image: leases seem to be good
 * that ended long ago. The wall clock is ahead then, as it is when it was set forward.
 * What the store confirmed before such a jump was noticed is in doubt. A jump is what
 * exceeds 2 ms and a thousandth of the time since the last look, twice of what a clock is
 * slewed by, and less than the drift that is taken off the shortest lease.
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
	}

	@Override
	public long nanos() {
		// The wall clock first: a pause between the two must not look like a jump.
		long wall = wallNanos();
		long now = this.ticker.nanos();
		long ahead = wall - now - this.offset;
		if (Math.abs(ahead) > FIXED_NANOS || now - this.lookedAt > LOOK_NANOS) {
			look(wall - now, now);
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

	private synchronized void look(long seen, long now) {
		long elapsed = Math.min(Math.max(0, now - this.lookedAt), MOST_ELAPSED_NANOS);
		if (seen - this.offset > FIXED_NANOS + elapsed / 1000) {
			jump(now);
		}
		this.offset = Math.max(seen, Math.min(this.offset, atMost()));
		this.lookedAt = Math.max(this.lookedAt, now);
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

	/**
	 * The offset, or more after a pause between the two readings. In the other order a
	 * pause looks like a wall clock that was set back, and the next reading like a jump.
	 */
	private long atMost() {
		long now = this.ticker.nanos();
		return wallNanos() - now;
	}

	private long wallNanos() {
		return this.wallClock.millis() * 1_000_000;
	}

}
