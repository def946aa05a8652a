package io.distributedlock.test.orders;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application with one service. Without the test it would keep its locks in Redis. */
@SpringBootApplication(proxyBeanMethods = false)
class OrderApplication {

	@Bean
	OrderService orderService(JdbcTemplate jdbc, OrderService.Carrier carrier) {
		jdbc.execute("CREATE TABLE shipment (order_id VARCHAR(20))");
		return new OrderService(jdbc, carrier);
	}

}
