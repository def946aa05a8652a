package io.distributedlock.sample.shop;

import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Exports the stock of all items. It reads the whole table, so at most two exports run at
 * a time on all instances; a third one fails at once.
 */
@RestController
@Profile("!instance")
class StockExport {

	static final String LOCK = "stock-export";

	private final StockRepository stock;

	StockExport(StockRepository stock) {
		this.stock = stock;
	}

	@GetMapping("/stock")
	@DistributedLock(name = LOCK, key = "'all'", mode = LockMode.SEMAPHORE, permits = 2, waitFor = "0")
	public List<StockController.StockView> export() {
		return this.stock.findAllByOrderByItem().stream().map(StockController.StockView::of).toList();
	}

}
