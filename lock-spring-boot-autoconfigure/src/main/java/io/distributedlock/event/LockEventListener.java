package io.distributedlock.event;

/**
 * Is told what happens to locks. Called on the library's bounded callback executor, so
 * events of one lock may overtake each other; what it throws is logged.
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

}
