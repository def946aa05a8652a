package io.distributedlock.store;

/**
 * Is told that waiting may have come to an end. A wake-up only shortens a poll: nothing
 * is lost when one does not arrive or comes for nothing.
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
	 * It is a certain request's turn to take a lock, which no other should try instead.
	 * @param encodedKey the lock's {@link LockKey#encoded()}
	 * @param request one of this instance's requests, as text
	 */
	default void wakeUp(String encodedKey, String request) {
		wakeUp(encodedKey);
	}

	/**
	 * A release has given a lock to a request that waited, which has it for the
	 * {@linkplain AcquireCommand#claim() claim} that its last attempt named.
	 * @param encodedKey the lock's {@link LockKey#encoded()}
	 * @param request one of this instance's requests, as text
	 * @param token the fencing token
	 */
	default void claimed(String encodedKey, String request, long token) {
		wakeUp(encodedKey, request);
	}

	/**
	 * A lock was {@linkplain StoreMonitor#forceRelease taken away} from a request: its
	 * holder should have the store confirm that. Does nothing by default, and then the
	 * next renewal finds out.
	 * @param encodedKey the lock's {@link LockKey#encoded()}
	 * @param request one of this instance's requests, as text
	 */
	default void revoked(String encodedKey, String request) {
	}

	/**
	 * Wake-ups may have been missed: every waiter should look once.
	 */
	void wakeUpAll();

	/**
	 * Messages may not arrive from here on, until {@link #wakeUpAll()}: waiters that rely
	 * on being {@linkplain AcquireOutcome.Busy#next() next} should attempt as often as
	 * others. Does nothing by default.
	 */
	default void wakeUpsLost() {
	}

}
