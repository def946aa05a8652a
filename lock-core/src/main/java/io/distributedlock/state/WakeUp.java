package io.distributedlock.state;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * A message to an instance: it may attempt again, or has got or lost a lock.
 *
 * @param key the lock
 * @param instance the instance
 * @param request the request that is next, or has got or lost the lock; {@code null} if
 * any waiter of the instance may attempt
 * @param token the fencing token if the request has got the lock, {@link #REVOKED} if it
 * lost the lock, else zero
 * @since 0.1.0
 */
public record WakeUp(LockKey key, String instance, @Nullable RequestId request, long token) {

	/** Token value if the lock was taken away from the request. */
	public static final long REVOKED = -1;

	/**
	 * Create a message to an instance that may attempt again.
	 * @param key the lock
	 * @param instance the instance
	 * @param request the request that is next, or {@code null}
	 */
	public WakeUp(LockKey key, String instance, @Nullable RequestId request) {
		this(key, instance, request, 0);
	}

	/**
	 * Pass the message to the listener of the instance.
	 * @param listener the listener
	 */
	public void tell(WakeUpListener listener) {
		if (this.request == null) {
			listener.wakeUp(this.key.encoded());
		}
		else if (this.token == 0) {
			listener.wakeUp(this.key.encoded(), this.request.toString());
		}
		else if (this.token == REVOKED) {
			listener.revoked(this.key.encoded(), this.request.toString());
		}
		else {
			listener.claimed(this.key.encoded(), this.request.toString(), this.token);
		}
	}

}
