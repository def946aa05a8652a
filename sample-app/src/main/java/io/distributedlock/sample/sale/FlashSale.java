package io.distributedlock.sample.sale;

import java.io.IOException;
import java.time.Duration;

import io.distributedlock.sample.shop.Ledger;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Runs the sale and counts what came of it. */
@Component
@Profile("!instance")
class FlashSale {

	private final InstanceCommand command;

	private final Ledger ledger;

	FlashSale(InstanceCommand command, Ledger ledger) {
		this.command = command;
		this.ledger = ledger;
	}

	/**
	 * Sell out once.
	 * @param sale the options
	 * @param lock whether purchases are locked
	 * @return what came of it
	 * @throws IllegalStateException if an instance or a purchase failed, with its output
	 */
	SaleResult run(FlashSaleProperties sale, boolean lock) throws IOException, InterruptedException {
		this.ledger.open(sale.item(), sale.stock());
		try (Instances instances = new Instances(sale.timeout())) {
			instances.start(this.command, sale, lock);
			instances.awaitReady();
			long start = System.nanoTime();
			Tally tally = instances.run();
			Duration time = Duration.ofNanos(System.nanoTime() - start);
			return result(sale, lock, requireComplete(sale, tally), time);
		}
	}

	private static Tally requireComplete(FlashSaleProperties sale, Tally tally) {
		if (tally.failed() > 0 || tally.buyers() != sale.buyers()) {
			throw new IllegalStateException("Not every buyer was served: " + tally + "; the instances say why");
		}
		return tally;
	}

	private SaleResult result(FlashSaleProperties sale, boolean lock, Tally tally, Duration time) {
		int orders = this.ledger.orders(sale.item());
		if (orders != tally.sold()) {
			throw new IllegalStateException(
					"%d orders were confirmed and %d are in the database".formatted(tally.sold(), orders));
		}
		return new SaleResult(lock, sale.buyers(), orders, this.ledger.quantity(sale.item()),
				Math.max(0, orders - sale.stock()), this.ledger.duplicateNumbers(sale.item()), time.toMillis());
	}

}
