package io.distributedlock.sample.shop;

import io.distributedlock.annotation.DistributedLock;
import jakarta.persistence.EntityManager;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells one piece of an item: read, decide in Java, write. Two sales at a time sell the
 * same piece twice, in spite of the transactions. Only the annotation prevents it.
 */
@Service
class Checkout {

	private final StockService stock;

	private final Payment payment;

	private final EntityManager entityManager;

	Checkout(StockService stock, Payment payment, EntityManager entityManager) {
		this.stock = stock;
		this.payment = payment;
		this.entityManager = entityManager;
	}

	/**
	 * Sell one piece. The lock lies around the transaction: it is released after the
	 * commit, so the next holder reads the new stock.
	 */
	@DistributedLock(name = StockService.LOCK, key = "#item")
	@Transactional
	public PurchaseOrder sell(String item, String buyer, long number) {
		Stock read = this.stock.getInStock(item);
		this.payment.take(buyer);
		PurchaseOrder order = new PurchaseOrder(number, read, buyer);
		this.entityManager.persist(order);
		this.stock.setQuantity(read, read.getQuantity() - 1);
		return order;
	}

}
