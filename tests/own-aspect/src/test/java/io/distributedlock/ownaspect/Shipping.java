package io.distributedlock.ownaspect;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** Ships what was sold, after the commit of the sale. */
class Shipping {

	private final Till till;

	/** A picture of the moment in which the listener runs, taken by the test. */
	private Supplier<String> picture = () -> "";

	private final List<String> pictures = new ArrayList<>();

	Shipping(Till till) {
		this.till = till;
	}

	@TransactionalEventListener
	@DistributedLock(name = "shipping", key = "#sold.item()", waitFor = "0")
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public void ship(Sold sold) {
		this.till.restock("shipped " + sold.item(), 1);
		this.pictures.add(this.picture.get());
	}

	public List<String> pictures(Supplier<String> picture) {
		this.picture = picture;
		this.pictures.clear();
		return this.pictures;
	}

	/**
	 * The event.
	 *
	 * @param item the item that was sold
	 */
	public record Sold(String item) {

	}

}
