package io.distributedlock.sample.shop;

/** There is no such item or order. */
public class UnknownException extends RuntimeException {

	UnknownException(String message) {
		super(message);
	}

}
