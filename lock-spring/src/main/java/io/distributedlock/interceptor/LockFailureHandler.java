package io.distributedlock.interceptor;

/**
 * Decides about guarded calls that could not get their lock, so that an application can
 * have one policy for all. Called where neither the method nor the profile of its lock
 * decides: {@code whenBusy} or {@code whenUnavailable} is {@code DEFAULT}. For a busy
 * lock, a fallback also decides, or a {@code keepFor} if the result can be empty.
 * Handlers that are beans are called in their order until one does not defer. If all
 * defer, the global configuration decides, by default to throw.
 * <p>
 * Called on the thread of the caller, or for reactive results on one that must not block.
 * Must be thread-safe. An exception of it goes to the caller.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Decide about a call.
	 * @param failure the call
	 * @return the decision
	 */
	LockFailureDecision decide(LockFailure failure);

}
