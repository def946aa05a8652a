package io.distributedlock.leader;

import java.util.function.Consumer;

/**
 * Receives the beginning and the end of leaderships, one call after the other: never two
 * of a kind in a row. A leadership that ended before the listener was free is left out.
 * Called on threads that may block. An exception is logged, and changes nothing. An
 * interrupt that a call leaves on its thread is cleared before the next one. A bean is
 * not called unless it was {@linkplain LeaderElection#addListener added}.
 *
 * @since 0.1.0
 */
public interface LeaderListener {

	/**
	 * This instance leads from now on. The leadership may end while this runs:
	 * {@link Leadership#isHeld()} tells, and {@link Leadership#onEnd} runs an action at
	 * once.
	 * @param leadership the leadership, with its fencing token
	 */
	void granted(Leadership leadership);

	/**
	 * The leadership has ended. Called when {@link #granted} has returned, before the
	 * lock is released and mostly before the lease ends. The next leader is elected after
	 * this has returned, or after {@link LeaderOptions#listenerGrace()}.
	 * @param leadership the leadership of which this listener knows
	 */
	void revoked(Leadership leadership);

	/**
	 * A listener of two functions.
	 * @param granted as {@link #granted}
	 * @param revoked as {@link #revoked}
	 * @return the listener
	 */
	static LeaderListener of(Consumer<? super Leadership> granted, Consumer<? super Leadership> revoked) {
		return new LeaderListener() {

			@Override
			public void granted(Leadership leadership) {
				granted.accept(leadership);
			}

			@Override
			public void revoked(Leadership leadership) {
				revoked.accept(leadership);
			}

		};
	}

}
