package io.distributedlock.sample.id;

/** No unique id can be made at the moment. */
public class IdsUnavailableException extends RuntimeException {

	IdsUnavailableException(String message) {
		super(message);
	}

}
