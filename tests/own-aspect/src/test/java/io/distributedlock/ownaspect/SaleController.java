package io.distributedlock.ownaspect;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.test.store.Patience;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Reads the item before it sells it, for a check of the request, say. Two requests at a
 * time have read before the first one sells.
 */
@RestController
class SaleController {

	private final CyclicBarrier read = new CyclicBarrier(2);

	private final StockItems items;

	private final EntitySales sales;

	SaleController(StockItems items, EntitySales sales) {
		this.items = items;
		this.sales = sales;
	}

	@PostMapping("/sales/{how}")
	void sell(@PathVariable String how) throws InterruptedException, BrokenBarrierException, TimeoutException {
		String id = this.items.findById("toy").orElseThrow().id();
		this.read.await(Patience.CEILING.toMillis(), TimeUnit.MILLISECONDS);
		switch (how) {
			case "refreshed" -> this.sales.sellRefreshed(id);
			case "new-transaction" -> this.sales.sellInNewTransaction(id);
			default -> this.sales.sell(id);
		}
	}

}
