package io.distributedlock.state;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * A message to an instance that waiting may be over, or that it has lost a lock.
 *
 * @param key the lock
 * @param instance the instance
 * @param request whose turn it is, or {@code null} if any waiter of the instance may try
 * @param token the fencing token if the request has the lock by now, {@link #REVOKED} if
 * it was taken away from it, else zero
 * @since 0.1.0
 */
public record WakeUp(LockKey key, String instance, @Nullable RequestId request, long token) {

	/** Stands for the token where the lock was taken away from the request. */
	public static final long REVOKED = -1;

	/**
	 * A message to an instance that may try.
	 * @param key the lock
	 * @param instance the instance
	 * @param request whose turn it is, or {@code null}
	 */
	public WakeUp(LockKey key, String instance, @Nullable RequestId request) {
		this(key, instance, request, 0);
	}

	/**
	 * Tell the instance.
	 * @param listener that of the instance
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
