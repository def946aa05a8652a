package io.distributedlock.sample.shop;

import io.distributedlock.sample.id.IdGenerator;

import org.springframework.stereotype.Service;

/**
 * Buys. Only the {@link Checkout} is under the lock: all that buyers can do beside each
 * other is done before.
 */
@Service
public class PurchaseService {

	private final StockService stock;

	private final IdGenerator orderNumbers;

	private final Checkout checkout;

	PurchaseService(StockService stock, IdGenerator orderNumbers, Checkout checkout) {
		this.stock = stock;
		this.orderNumbers = orderNumbers;
		this.checkout = checkout;
	}

	/**
	 * Buy one piece. A buyer who finds the item sold out does not wait in line for the
	 * lock. One who finds some left may still find none under the lock, which decides.
	 * @param item the item
	 * @param buyer who buys
	 * @return the order
	 * @throws SoldOutException if nothing is left
	 */
	public PurchaseOrder purchase(String item, String buyer) {
		this.stock.getInStock(item);
		return this.checkout.sell(item, buyer, this.orderNumbers.next());
	}

}
