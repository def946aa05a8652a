package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.interceptor.internal.MethodNames;
import org.jspecify.annotations.Nullable;

/**
 * A guarded call that could not get its lock. Its method has not run.
 *
 * @param method the guarded method
 * @param targetClass the class of the bean
 * @param arguments the arguments of the call, unmodifiable; a token is {@code 0} or
 * {@code null}, and a suspending function has no continuation. They belong to the caller:
 * do not change them, and do not keep them
 * @param request the request of the call
 * @param cause a {@link LockNotAcquiredException} if the lock is busy, or a
 * {@code LockStoreException} if the store cannot be reached
 * @since 0.1.0
 */
public record LockFailure(Method method, Class<?> targetClass, List<@Nullable Object> arguments, LockRequest request,
		LockException cause) {

	/**
	 * Return whether another caller has the lock.
	 * @return {@code false} if the store cannot be reached
	 */
	public boolean isBusy() {
		return this.cause instanceof LockNotAcquiredException;
	}

	String methodName() {
		return MethodNames.of(this.targetClass, this.method);
	}

	/**
	 * The method and the failure, without the arguments, which may be secret.
	 */
	@Override
	public String toString() {
		return "%s: %s".formatted(methodName(), this.cause.getMessage());
	}

}
