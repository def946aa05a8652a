package io.distributedlock.store;

/**
 * Receives the messages of a store to an instance, such as wake-ups: a wait may have come
 * to an end. A wake-up only shortens a poll: a missing or needless one does no harm.
 *
 * @since 0.1.0
 */
public interface WakeUpListener {

	/**
	 * A lock may have become free.
	 * @param encodedKey its {@link LockKey#encoded()}
	 */
	void wakeUp(String encodedKey);

	/**
	 * It is the turn of one request to take a lock. No other request should attempt
	 * instead.
	 * @param encodedKey the lock's {@link LockKey#encoded()}
	 * @param request one of this instance's requests, as text
	 */
	default void wakeUp(String encodedKey, String request) {
		wakeUp(encodedKey);
	}

	/**
	 * A release has given a lock to a waiting request. The request has it for the time of
	 * the {@linkplain AcquireCommand#claim() claim} in its last attempt.
	 * @param encodedKey the lock's {@link LockKey#encoded()}
	 * @param request one of this instance's requests, as text
	 * @param token the fencing token
	 */
	default void claimed(String encodedKey, String request, long token) {
		wakeUp(encodedKey, request);
	}

	/**
	 * A lock was {@linkplain StoreMonitor#forceRelease taken away} from a request: its
	 * instance should have the store confirm that. Does nothing by default; then the next
	 * renewal notices it.
	 * @param encodedKey the lock's {@link LockKey#encoded()}
	 * @param request one of this instance's requests, as text
	 */
	default void revoked(String encodedKey, String request) {
	}

	/**
	 * The store may have forgotten what it has confirmed of late, as a server that was
	 * started again after a crash: all leases are in doubt until it confirms them. Does
	 * nothing by default; then the next renewal of a lease notices that it is lost.
	 */
	default void doubted() {
	}

	/**
	 * Wake-ups may have been missed: every waiter should attempt once. Called each time
	 * that a store has subscribed, also for the first time; within
	 * {@link LockStore#start} at the earliest.
	 */
	void wakeUpAll();

	/**
	 * Messages may not arrive from here on, until {@link #wakeUpAll()}, as when a
	 * connection has broken: waiters that rely on being
	 * {@linkplain AcquireOutcome.Busy#next() next} should attempt as often as others.
	 * Does nothing by default.
	 */
	default void wakeUpsLost() {
	}

}
