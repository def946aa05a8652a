package io.distributedlock.sample.sale;

/**
 * What came of a run.
 *
 * @param lock whether purchases were locked
 * @param buyers how many purchases were tried
 * @param orders how many orders there are
 * @param stock how many pieces are left
 * @param oversold how many orders there are in excess of the stock at the beginning
 * @param duplicateIds how many orders have a number that another order has
 * @param fence the token of the last holder that has written; without the lock the one
 * from before
 * @param millis how long the buyers took, without the start of the instances
 */
public record SaleResult(boolean lock, int buyers, int orders, int stock, int oversold, int duplicateIds, long fence,
		long millis) {

	/** One line for machines. */
	String toJsonLine() {
		return "flash-sale {\"lock\":%b,\"buyers\":%d,\"orders\":%d,\"stock\":%d,\"oversold\":%d,\"duplicateIds\":%d,\"fence\":%d,\"millis\":%d}"
			.formatted(this.lock, this.buyers, this.orders, this.stock, this.oversold, this.duplicateIds, this.fence,
					this.millis);
	}

}
