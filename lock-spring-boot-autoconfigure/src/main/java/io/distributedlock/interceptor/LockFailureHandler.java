package io.distributedlock.interceptor;

/**
 * Decides what a guarded call does that could not get its lock, so that an application
 * can have one policy in one place. Asked where neither the method nor the profile of its
 * lock says what to do: {@code whenBusy} or {@code whenUnavailable} is {@code DEFAULT},
 * and there is neither a fallback nor a {@code keepFor}. Handlers that are beans are
 * asked in their order until one does not defer; if all do, the configuration and then
 * the default decides, which is to throw.
 * <p>
 * Called on the thread of the caller, or for reactive results on one that must not block.
 * Has to be thread-safe. What it throws is thrown to the caller.
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
