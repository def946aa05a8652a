package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockedCallback;
import org.jspecify.annotations.Nullable;

/** Runs the body of a guarded method for one kind of result. */
@FunctionalInterface
interface ResultInvoker {

	@Nullable Object invoke(LockTemplate template, LockRequest request, LockedCallback<@Nullable Object, Throwable> body)
			throws Throwable;

}
