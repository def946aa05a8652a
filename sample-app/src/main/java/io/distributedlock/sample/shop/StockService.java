package io.distributedlock.sample.shop;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Reads and changes the stock of an item. */
@Service
class StockService {

	/** Name of the lock around all writes to the stock of an item. */
	static final String LOCK = "purchase";

	private final StockRepository stock;

	private final boolean fenced;

	/**
	 * Create the service.
	 * @param stock the table
	 * @param fenced {@code false} to leave tokens alone, where the database has the locks
	 */
	StockService(StockRepository stock, @Value("${flash-sale.fenced:true}") boolean fenced) {
		this.stock = stock;
		this.fenced = fenced;
	}

	public Stock get(String item) {
		return this.stock.findById(item).orElseThrow(() -> new UnknownException("There is no item '" + item + "'"));
	}

	/**
	 * Read an item that is in stock.
	 * @throws SoldOutException if it is sold out
	 */
	public Stock getInStock(String item) {
		Stock read = get(item);
		if (read.getQuantity() < 1) {
			throw new SoldOutException(item);
		}
		return read;
	}

	/**
	 * Write the quantity with the token of the lease that the caller holds. Without a
	 * lock, or without fences, the fence stays as it is.
	 */
	public void setQuantity(Stock read, int quantity) {
		long token = Lease.current().filter((lease) -> this.fenced).map(Lease::fencingToken).orElse(read.getFence());
		if (this.stock.setQuantity(read.getItem(), quantity, token) == 0) {
			throw new StaleWriteException(read.getItem(), token);
		}
	}

	@DistributedLock(name = LOCK, key = "#item")
	@Transactional
	public Stock add(String item, int quantity) {
		Stock read = get(item);
		setQuantity(read, Math.addExact(read.getQuantity(), quantity));
		return get(item);
	}

}
