package io.distributedlock.sample.sale;

/**
 * Result of a run.
 *
 * @param lock {@code true} if purchases were locked
 * @param buyers the number of purchases that were tried
 * @param orders the number of orders
 * @param stock the number of pieces that are left
 * @param oversold the number of orders in excess of the stock at the beginning
 * @param duplicateIds the number of orders in excess of the different order numbers
 * @param fence the token of the last holder that has written; without the lock the one
 * from before
 * @param millis how long the buyers took, without the start of the instances
 */
public record SaleResult(boolean lock, int buyers, int orders, int stock, int oversold, int duplicateIds, long fence,
		long millis) {

	/** Return a line for machines. */
	String toJsonLine() {
		return "flash-sale {\"lock\":%b,\"buyers\":%d,\"orders\":%d,\"stock\":%d,\"oversold\":%d,\"duplicateIds\":%d,\"fence\":%d,\"millis\":%d}"
			.formatted(this.lock, this.buyers, this.orders, this.stock, this.oversold, this.duplicateIds, this.fence,
					this.millis);
	}

}
