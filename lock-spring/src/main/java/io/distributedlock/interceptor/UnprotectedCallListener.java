package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;

/**
 * Is notified when a guarded method runs without its lock, because the store cannot be
 * reached and the method is declared to proceed. Called on the thread of the call, before
 * the method, and for a reactive result on a thread that must not block; what it throws
 * is logged.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface UnprotectedCallListener {

	/**
	 * Handle an unprotected call.
	 * @param request the lock that the call asked for
	 * @param cause why it could not be acquired
	 */
	void onUnprotectedCall(LockRequest request, LockStoreException cause);

}
