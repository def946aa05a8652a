package io.distributedlock.event;

/**
 * Receives lock events. Called on threads of the library for events only, so events of
 * one lock may overtake each other; what it throws is logged. A lock never waits for a
 * listener: while 4,096 events wait, others are dropped and counted, but none of a loss.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockEventListener {

	/**
	 * Take note of an event.
	 * @param event the event
	 */
	void onLockEvent(LockEvent event);

	/**
	 * Whether to make events at all. Asked often and on any thread, also that of the
	 * engine or of a driver, so this must neither block nor look anything up.
	 * <p>
	 * After {@code false} it is not asked for {@link LockEvent.Acquired} and
	 * {@link LockEvent.Released} any more, only for another event of the same registry.
	 * If it then answers {@code true}, the listener gets that event and all that follow.
	 * {@link LockEvent.Unprotected} is no event of a registry.
	 * @return {@code false} while events would reach nothing
	 */
	default boolean isListening() {
		return true;
	}

}
