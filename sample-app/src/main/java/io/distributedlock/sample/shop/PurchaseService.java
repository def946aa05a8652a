package io.distributedlock.sample.shop;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.id.IdGenerator;
import jakarta.persistence.EntityManager;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells one piece of an item: read, decide in Java, write. Two of them at a time sell the
 * same piece twice, whatever the transactions do. The annotation is all that prevents it.
 */
@Service
public class PurchaseService {

	private final StockService stock;

	private final IdGenerator orderNumbers;

	private final EntityManager entityManager;

	PurchaseService(StockService stock, IdGenerator orderNumbers, EntityManager entityManager) {
		this.stock = stock;
		this.orderNumbers = orderNumbers;
		this.entityManager = entityManager;
	}

	/**
	 * Sell one piece. The lock lies around the transaction: it is released after the
	 * commit, so the next holder reads what was written.
	 * @param item the item
	 * @param buyer who buys
	 * @return the order
	 * @throws SoldOutException if nothing is left
	 */
	@DistributedLock(name = StockService.LOCK, key = "#item")
	@Transactional
	public PurchaseOrder purchase(String item, String buyer) {
		Stock read = this.stock.get(item);
		if (read.getQuantity() < 1) {
			throw new SoldOutException(item);
		}
		PurchaseOrder order = new PurchaseOrder(this.orderNumbers.next(), read, buyer);
		this.entityManager.persist(order);
		this.stock.setQuantity(read, read.getQuantity() - 1);
		return order;
	}

}
