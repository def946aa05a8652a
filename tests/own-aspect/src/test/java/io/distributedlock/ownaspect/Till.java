package io.distributedlock.ownaspect;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Sells by reading, computing and writing, which needs a lock. */
class Till {

	private final JdbcTemplate jdbc;

	Till(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@HomeMadeLock("stock")
	public void sellHomeMade(String item) {
		sellOne(item, () -> {
		});
	}

	@HomeMadeLock(value = "stock", newTransaction = false)
	public void sellHomeMadeInTheCallersTransaction(String item, Runnable afterRead) {
		sellOne(item, afterRead);
	}

	@DistributedLock(name = "stock", key = "#item")
	@Transactional
	public void sell(String item) {
		sellOne(item, () -> {
		});
	}

	@DistributedLock(name = "stock", key = "#item")
	@Transactional
	public void sell(String item, Runnable afterRead) {
		sellOne(item, afterRead);
	}

	@DistributedLock(name = "stock", key = "#item")
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public void sellInNewTransaction(String item) {
		sellOne(item, () -> {
		});
	}

	private void sellOne(String item, Runnable afterRead) {
		int quantity = quantity(item);
		afterRead.run();
		this.jdbc.update("UPDATE stock_item SET quantity = ? WHERE id = ?", quantity - 1, item);
	}

	@DistributedLock(name = "stock", key = "#item")
	public int quantityUnderTheLock(String item) {
		return quantity(item);
	}

	public int quantity(String item) {
		return this.jdbc.queryForObject("SELECT quantity FROM stock_item WHERE id = ?", Integer.class, item);
	}

	public void restock(String item, int quantity) {
		this.jdbc.update("MERGE INTO stock_item (id, quantity) VALUES (?, ?)", item, quantity);
	}

}
