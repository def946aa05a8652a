package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * A body that runs while a lock is held.
 *
 * @param <T> the type of the result
 * @param <E> the type of its failure
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockedCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Run under the lock.
	 * @param lease the lease, closed by the caller
	 * @return the result
	 * @throws E if the body fails
	 */
	T doWithLock(Lease lease) throws E;

}
