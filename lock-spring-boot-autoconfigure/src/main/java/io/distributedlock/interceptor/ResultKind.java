package io.distributedlock.interceptor;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** How long a guarded method runs: until it returns, or until its result completes. */
interface ResultKind {

	/**
	 * Run a call under its lock.
	 * @param call the call
	 * @return what the caller gets
	 * @throws Throwable what the body throws, or what is wrong with the lock
	 */
	@Nullable Object invoke(GuardedCall call) throws Throwable;

	/**
	 * What a skipped call returns.
	 * @return the empty result, or {@code null} if there is none
	 */
	@Nullable Supplier<@Nullable Object> emptyResult();

	/**
	 * What a call returns in place of its method's result.
	 * @param value the result as it is, or the value that is to come
	 * @return the value itself where it is nothing that had to be made a result of this
	 * kind
	 */
	@Nullable Object resultOf(@Nullable Object value);

}
