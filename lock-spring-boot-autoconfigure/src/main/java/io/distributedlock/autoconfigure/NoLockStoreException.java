package io.distributedlock.autoconfigure;

/**
 * There is nothing to keep the locks in.
 */
final class NoLockStoreException extends RuntimeException {

	/**
	 * Create the exception.
	 * @param problem why there is no store, as a sentence
	 */
	NoLockStoreException(String problem) {
		super(problem);
	}

}
