package io.distributedlock.interceptor;

import io.distributedlock.LockException;
import io.distributedlock.LockedCallback;
import org.jspecify.annotations.Nullable;

/** The body of a guarded method, for one attempt to get the lock and run it. */
interface GuardedBody extends LockedCallback<@Nullable Object, Throwable> {

	/**
	 * Let the coroutines of the body be known. Called before the body is run, if at all.
	 * @param coroutines is told of them
	 */
	void watchedBy(CoroutineWatch coroutines);

	/**
	 * What the caller gets where the attempt has failed.
	 * @param failure why
	 * @return the result of what is declared for that case
	 * @throws Throwable the failure itself, if nothing is declared or it comes from the
	 * body
	 */
	@Nullable Object instead(LockException failure) throws Throwable;

}
