package io.distributedlock.interceptor;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** How long a guarded method runs: until it returns, or until its result completes. */
interface ResultKind {

	/**
	 * Run a call under its lock.
	 * @param call the call
	 * @return the result for the caller
	 * @throws Throwable the failure of the body or of the lock
	 */
	@Nullable Object invoke(GuardedCall call) throws Throwable;

	/**
	 * The result of a skipped call.
	 * @return the empty result, or {@code null} if there is none
	 */
	@Nullable Supplier<@Nullable Object> emptyResult();

	/**
	 * Convert a value that replaces the result of the method.
	 * @param value a result of this kind, or the value that completes one
	 * @return the result; the value itself where it needs no conversion
	 */
	@Nullable Object resultOf(@Nullable Object value);

}
