package io.distributedlock.sample.sale;

/** A sale is running, and another one would disturb it. */
public class SaleRunningException extends RuntimeException {

	SaleRunningException() {
		super("A sale is running: wait until it has ended");
	}

}
