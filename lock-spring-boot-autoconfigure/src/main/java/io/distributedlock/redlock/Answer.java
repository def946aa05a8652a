package io.distributedlock.redlock;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What a node said.
 *
 * @param value the answer, if it gave one
 * @param failure what went wrong, if something did
 * @param <T> what nodes answer
 */
record Answer<T>(@Nullable T value, @Nullable LockStoreException failure) {

	boolean isFailure() {
		return this.failure != null;
	}

}
