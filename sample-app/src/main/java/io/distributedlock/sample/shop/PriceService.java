package io.distributedlock.sample.shop;

import java.math.BigDecimal;

import io.distributedlock.LockTemplate;
import io.distributedlock.LockRequest;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Changes prices. Shows the template: the lease is a parameter of the callback, and the
 * transaction lies inside the lock.
 */
@Service
@Profile("!instance")
class PriceService {

	private final LockTemplate locks;

	private final TransactionOperations transactions;

	private final StockService stock;

	private final StockRepository rows;

	PriceService(LockTemplate locks, TransactionOperations transactions, StockService stock, StockRepository rows) {
		this.locks = locks;
		this.transactions = transactions;
		this.stock = stock;
		this.rows = rows;
	}

	Stock change(String item, BigDecimal price) {
		return this.locks.<Stock, RuntimeException>execute(LockRequest.of(StockService.LOCK, item),
				(lease) -> this.transactions.execute((status) -> write(item, price, lease.fencingToken())));
	}

	private Stock write(String item, BigDecimal price, long token) {
		Stock read = this.stock.get(item);
		if (this.rows.setPrice(read.getItem(), price, token) == 0) {
			throw new StaleWriteException(item, token);
		}
		return this.stock.get(item);
	}

}
