package io.distributedlock.sample.page;

/** A fault cannot be caused now. */
class FaultRefusedException extends RuntimeException {

	FaultRefusedException(String message) {
		super(message);
	}

}
