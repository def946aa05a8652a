package io.distributedlock.sample.shop;

/** An item is sold out. */
public class SoldOutException extends RuntimeException {

	SoldOutException(String item) {
		super("'%s' is sold out".formatted(item));
	}

}
