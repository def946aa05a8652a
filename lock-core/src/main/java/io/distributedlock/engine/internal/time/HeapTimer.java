package io.distributedlock.engine.internal.time;

/**
 * A timer that is due at a time. The heap's fields live in the timer itself, so that
 * moving and removing it cost a logarithm and no allocation.
 */
public abstract class HeapTimer {

	long due;

	int index = -1;

	/**
	 * Return when the timer is due.
	 * @return the time it was last set for
	 */
	protected final long due() {
		return this.due;
	}

	/**
	 * Called once the time has come, on the thread that drives the loop.
	 * @param now the time, not before the due time
	 */
	public abstract void fire(long now);

	/** Called instead of {@link #fire} when the loop has no driver any more. */
	public void abort() {
	}

}
