package io.distributedlock.sample.shop;

import java.math.BigDecimal;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * The stock of an item. Deliberately without a {@code @Version}: the sale shows the
 * effect of the lock.
 */
@Entity
@Table(name = "stock")
class Stock {

	@Id
	private String item = "";

	private int quantity;

	private BigDecimal price = BigDecimal.ZERO;

	/** The token of the last holder of the lock that has written this row. */
	private long fence;

	String getItem() {
		return this.item;
	}

	int getQuantity() {
		return this.quantity;
	}

	BigDecimal getPrice() {
		return this.price;
	}

	long getFence() {
		return this.fence;
	}

}
