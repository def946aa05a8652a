package io.distributedlock.sample.shop;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Sets up a sale and counts its result, straight in the tables. */
@Component
public class Ledger {

	private final JdbcClient jdbc;

	/**
	 * Create the ledger of a database.
	 * @param jdbc its connections
	 */
	public Ledger(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Delete the orders of an item, and set its stock. The fence stays: tokens grow for
	 * ever.
	 * @param item the item
	 * @param quantity the number of pieces in stock
	 */
	@Transactional
	public void open(String item, int quantity) {
		this.jdbc.sql("delete from orders where item = ?").param(item).update();
		int updated = this.jdbc.sql("update stock set quantity = ? where item = ?").params(quantity, item).update();
		if (updated == 0) {
			this.jdbc.sql("insert into stock (item, quantity, price, fence) values (?, ?, 1, 0)")
				.params(item, quantity)
				.update();
		}
	}

	/**
	 * Count the orders.
	 * @param item the item
	 * @return the number of rows
	 */
	public int orders(String item) {
		return count("select count(*) from orders where item = ?", item);
	}

	/**
	 * Count the order numbers that were given out again.
	 * @param item the item
	 * @return the number of rows in excess of the different numbers
	 */
	public int duplicateNumbers(String item) {
		return count("select count(*) - count(distinct number) from orders where item = ?", item);
	}

	/**
	 * Return the number of pieces that are left.
	 * @param item the item
	 * @return the quantity
	 */
	public int quantity(String item) {
		return count("select quantity from stock where item = ?", item);
	}

	/**
	 * The token of the last holder that has written.
	 * @param item the item
	 * @return the fence, which grows for ever
	 */
	public long fence(String item) {
		return this.jdbc.sql("select fence from stock where item = ?").param(item).query(Long.class).single();
	}

	private int count(String sql, String item) {
		return this.jdbc.sql(sql).param(item).query(Integer.class).single();
	}

}
