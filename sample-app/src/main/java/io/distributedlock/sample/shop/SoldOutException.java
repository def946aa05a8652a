package io.distributedlock.sample.shop;

/** Nothing is left of an item. */
public class SoldOutException extends RuntimeException {

	SoldOutException(String item) {
		super("'%s' is sold out".formatted(item));
	}

}
