package io.distributedlock.sample.shop;

import io.distributedlock.sample.id.IdGenerator;

import org.springframework.stereotype.Service;

/**
 * Buys. Only the {@link Checkout} is under the lock: steps that buyers can do at the same
 * time come before.
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
	 * Buy one piece. A buyer who finds the item sold out does not wait for the lock.
	 * Others may still find it sold out under the lock, which decides.
	 * @param item the item
	 * @param buyer the buyer
	 * @return the order
	 * @throws SoldOutException if the item is sold out
	 */
	public PurchaseOrder purchase(String item, String buyer) {
		this.stock.getInStock(item);
		return this.checkout.sell(item, buyer, this.orderNumbers.next());
	}

}
