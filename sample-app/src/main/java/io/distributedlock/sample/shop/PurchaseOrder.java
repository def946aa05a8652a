package io.distributedlock.sample.shop;

import java.math.BigDecimal;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * An order. Its table has no unique constraint on the number, so that the sale can count
 * duplicates instead of having the database hide them.
 */
@Entity
@Table(name = "orders")
public class PurchaseOrder {

	@Id
	private long number;

	private String item = "";

	private String buyer = "";

	private BigDecimal price = BigDecimal.ZERO;

	/** For JPA. */
	protected PurchaseOrder() {
	}

	PurchaseOrder(long number, Stock stock, String buyer) {
		this.number = number;
		this.item = stock.getItem();
		this.buyer = buyer;
		this.price = stock.getPrice();
	}

	/**
	 * The number of the order.
	 * @return unique and roughly ordered by time
	 */
	public long getNumber() {
		return this.number;
	}

	String getItem() {
		return this.item;
	}

	String getBuyer() {
		return this.buyer;
	}

	BigDecimal getPrice() {
		return this.price;
	}

}
