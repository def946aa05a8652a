package io.distributedlock.interceptor;

/**
 * Decides about guarded calls that could not get their lock, so that an application can
 * have one policy in one place. Called where neither the method nor the profile of its
 * lock decides: {@code whenBusy} or {@code whenUnavailable} is {@code DEFAULT}, and there
 * is neither a fallback nor a {@code keepFor}. Handlers that are beans are called in
 * their order until one does not defer; if all do, the global configuration decides, and
 * the default is to throw.
 * <p>
 * Called on the thread of the caller, or for reactive results on one that must not block.
 * Must be thread-safe. An exception of it goes to the caller.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Decide.
	 * @param failure the call
	 * @return what to do
	 */
	LockFailureDecision decide(LockFailure failure);

}
