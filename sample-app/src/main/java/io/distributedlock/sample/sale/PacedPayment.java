package io.distributedlock.sample.sale;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.sample.sale.InstanceEvent.Kind;
import io.distributedlock.sample.shop.Payment;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * A payment that takes as long as the pace says. On request it stops one buyer in the
 * middle of the purchase, with the lock held, so that a fault meets a holder.
 */
@Component
@Profile("instance")
class PacedPayment implements Payment {

	/** Longest stop of a buyer, in case the main process forgets it. */
	private static final Duration LONGEST_HOLD = Duration.ofSeconds(60);

	private final FlashSaleProperties sale;

	private final Reporter reporter;

	private final AtomicReference<@Nullable CountDownLatch> wanted = new AtomicReference<>();

	private volatile CountDownLatch proceed = new CountDownLatch(0);

	private volatile String stopped = "";

	private volatile long token;

	PacedPayment(FlashSaleProperties sale, Reporter reporter) {
		this.sale = sale;
		this.reporter = reporter;
	}

	/** Stop the next buyer who pays. */
	void hold() {
		CountDownLatch latch = new CountDownLatch(1);
		this.proceed = latch;
		this.wanted.set(latch);
	}

	/** Let the stopped buyer go on. */
	void proceed() {
		this.wanted.set(null);
		this.proceed.countDown();
	}

	@Override
	public void take(String buyer) {
		await(new CountDownLatch(1), this.sale.pace());
		CountDownLatch latch = (this.wanted.get() != null) ? this.wanted.getAndSet(null) : null;
		if (latch != null) {
			this.token = Lease.current().map(Lease::fencingToken).orElse(0L);
			this.stopped = buyer;
			this.reporter.add(Kind.HOLDING, this.token, 0, buyer);
			await(latch, LONGEST_HOLD);
		}
	}

	/** Return the token of the buyer who was stopped last, or empty for another one. */
	Optional<Long> tokenOf(String buyer) {
		return this.stopped.equals(buyer) ? Optional.of(this.token) : Optional.empty();
	}

	private static void await(CountDownLatch latch, Duration longest) {
		if (longest.isZero()) {
			return;
		}
		try {
			latch.await(longest.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while paying", ex);
		}
	}

}
