package io.distributedlock.event;

/**
 * Receives lock events. Called on callback threads of the library, with separate ones for
 * losses, so events of one lock may overtake each other. An exception of a listener is
 * logged. A lock never waits for a listener: while 4,096 events wait, others are dropped
 * and counted, but no event of a loss is dropped.
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
	 * Return whether events are to be made at all. Asked often and on any thread, also
	 * that of the engine or of a driver, so this must neither block nor look anything up.
	 * <p>
	 * After {@code false}, it is not called for {@link LockEvent.Acquired} and
	 * {@link LockEvent.Released} any more, only for another event of the same registry.
	 * After {@code true} for that, the listener gets that event and all that follow.
	 * {@link LockEvent.Unprotected} is no event of a registry.
	 * @return {@code false} while events would reach no receiver
	 */
	default boolean isListening() {
		return true;
	}

}
