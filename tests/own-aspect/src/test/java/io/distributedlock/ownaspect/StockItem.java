package io.distributedlock.ownaspect;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A thing in stock. It has no version, so only locks protect its quantity. */
@Entity
class StockItem {

	@Id
	private String id;

	private int quantity;

	protected StockItem() {
	}

	StockItem(String id, int quantity) {
		this.id = id;
		this.quantity = quantity;
	}

	String id() {
		return this.id;
	}

	void sellOne() {
		this.quantity--;
	}

}
