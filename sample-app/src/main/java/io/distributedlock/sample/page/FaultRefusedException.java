package io.distributedlock.sample.page;

/** A fault cannot be done now. */
class FaultRefusedException extends RuntimeException {

	FaultRefusedException(String message) {
		super(message);
	}

}
