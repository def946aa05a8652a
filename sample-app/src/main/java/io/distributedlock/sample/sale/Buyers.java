package io.distributedlock.sample.sale;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.sample.shop.PurchaseService;
import io.distributedlock.sample.shop.SoldOutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The buyers of one instance: as many as there are threads buy at the same time. */
@Component
@Profile("instance")
class Buyers {

	private static final Log logger = LogFactory.getLog(Buyers.class);

	private final PurchaseService purchases;

	private final FlashSaleProperties sale;

	private final AtomicInteger served = new AtomicInteger();

	private final AtomicInteger sold = new AtomicInteger();

	private final AtomicInteger soldOut = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	Buyers(PurchaseService purchases, FlashSaleProperties sale) {
		this.purchases = purchases;
		this.sale = sale;
	}

	Tally buy() throws InterruptedException {
		ExecutorService threads = Executors.newFixedThreadPool(this.sale.threads());
		IntStream.range(0, this.sale.threads()).forEach((thread) -> threads.execute(this::buyInTurn));
		threads.shutdown();
		if (!threads.awaitTermination(this.sale.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException("The buyers were not served within " + this.sale.timeout());
		}
		return new Tally(this.sold.get(), this.soldOut.get(), this.failed.get());
	}

	private void buyInTurn() {
		int buyer = this.served.getAndIncrement();
		while (buyer < this.sale.buyers()) {
			buy("buyer-" + buyer);
			buyer = this.served.getAndIncrement();
		}
	}

	private void buy(String buyer) {
		try {
			this.purchases.purchase(this.sale.item(), buyer);
			this.sold.incrementAndGet();
		}
		catch (SoldOutException ex) {
			this.soldOut.incrementAndGet();
		}
		catch (RuntimeException ex) {
			if (this.failed.incrementAndGet() == 1) {
				logger.error("A purchase failed; further failures are only counted", ex);
			}
		}
	}

}
