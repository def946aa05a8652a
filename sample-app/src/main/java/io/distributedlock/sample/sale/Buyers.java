package io.distributedlock.sample.sale;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.LockLostException;
import io.distributedlock.sample.sale.InstanceEvent.Kind;
import io.distributedlock.sample.shop.PurchaseService;
import io.distributedlock.sample.shop.SoldOutException;
import io.distributedlock.sample.shop.StaleWriteException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The buyers of one instance. Each thread buys for one buyer at a time. */
@Component
@Profile("instance")
class Buyers {

	private static final Log logger = LogFactory.getLog(Buyers.class);

	private final PurchaseService purchases;

	private final FlashSaleProperties sale;

	private final Counts counts;

	private final Reporter reporter;

	private final PacedPayment payment;

	private final boolean locked;

	private final AtomicInteger served = new AtomicInteger();

	Buyers(PurchaseService purchases, FlashSaleProperties sale, Counts counts, Reporter reporter, PacedPayment payment,
			@Value("${distributed-lock.enabled:true}") boolean locked) {
		this.purchases = purchases;
		this.sale = sale;
		this.counts = counts;
		this.reporter = reporter;
		this.payment = payment;
		this.locked = locked;
	}

	Tally buy() throws InterruptedException {
		ExecutorService threads = Executors.newFixedThreadPool(this.sale.threads());
		IntStream.range(0, this.sale.threads()).forEach((thread) -> threads.execute(this::buyInTurn));
		threads.shutdown();
		if (!threads.awaitTermination(this.sale.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException("The buyers were not served within " + this.sale.timeout());
		}
		return this.counts.tally();
	}

	private void buyInTurn() {
		int buyer = this.served.getAndIncrement();
		while (buyer < this.sale.buyers()) {
			buy("buyer-" + buyer);
			buyer = this.served.getAndIncrement();
		}
	}

	private void buy(String buyer) {
		this.counts.shopping.incrementAndGet();
		long start = System.nanoTime();
		try {
			Outages.outlast(() -> this.purchases.purchase(this.sale.item(), buyer));
			this.counts.sold.incrementAndGet();
		}
		catch (SoldOutException ex) {
			this.counts.soldOut.incrementAndGet();
		}
		catch (RuntimeException ex) {
			failed(buyer, ex);
		}
		finally {
			this.counts.shopping.decrementAndGet();
		}
		if (!this.locked) {
			this.reporter.add(Kind.BOUGHT, 0, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start), "");
		}
	}

	private void failed(String buyer, RuntimeException ex) {
		Optional<Long> refused = (this.sale.locks() == Locks.IN_DATABASE) ? refusedCommit(buyer, ex)
				: StaleWrites.find(ex).map(StaleWriteException::getToken);
		refused.ifPresent((token) -> this.reporter.add(Kind.REFUSED, token, 0, ""));
		if (this.counts.failed.incrementAndGet() == 1) {
			logger.error("A purchase failed; further failures are only counted", ex);
		}
	}

	/** Return the token under which a transaction ran that was rolled back. */
	private Optional<Long> refusedCommit(String buyer, RuntimeException ex) {
		return (ex instanceof LockLostException lost && !lost.isBodyCompleted()) ? this.payment.tokenOf(buyer)
				: Optional.empty();
	}

}
