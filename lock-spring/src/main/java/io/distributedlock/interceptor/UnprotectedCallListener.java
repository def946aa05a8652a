package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;

/**
 * Is notified when a guarded method runs without its lock, because the store cannot be
 * reached and the policy is to proceed. Called on the thread of the call, before the
 * method; for a reactive result that thread must not block. An exception of the listener
 * is logged.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface UnprotectedCallListener {

	/**
	 * Handle an unprotected call.
	 * @param request the request of the call
	 * @param cause the failure of the store
	 */
	void onUnprotectedCall(LockRequest request, LockStoreException cause);

}
