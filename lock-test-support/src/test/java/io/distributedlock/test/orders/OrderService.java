package io.distributedlock.test.orders;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A service as a user has it. */
class OrderService {

	private final JdbcTemplate jdbc;

	private final Carrier carrier;

	OrderService(JdbcTemplate jdbc, Carrier carrier) {
		this.jdbc = jdbc;
		this.carrier = carrier;
	}

	@DistributedLock(name = "orders", key = "#id", waitFor = "100ms")
	@Transactional
	public void ship(String id) {
		this.jdbc.update("INSERT INTO shipment (order_id) VALUES (?)", id);
		this.carrier.pickUp(id);
	}

	public int shipments(String id) {
		Integer count = this.jdbc.queryForObject("SELECT COUNT(*) FROM shipment WHERE order_id = ?", Integer.class, id);
		return (count != null) ? count : 0;
	}

	/** The dependency of the service, which tests replace. */
	@FunctionalInterface
	interface Carrier {

		void pickUp(String id);

	}

}
