package io.distributedlock.sample.sale;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

import io.distributedlock.sample.shop.Ledger;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Runs the sale and counts its result. */
@Component
@Profile("!instance")
class FlashSale {

	private final InstanceCommand command;

	private final SaleDatabases databases;

	private final SaleObserver observer;

	private volatile @Nullable Instances running;

	private volatile @Nullable Instances locked;

	FlashSale(InstanceCommand command, SaleDatabases databases, SaleObserver observer) {
		this.command = command;
		this.databases = databases;
		this.observer = observer;
	}

	/**
	 * Run the sale once.
	 * @param sale the options
	 * @param lock {@code true} to lock purchases
	 * @return the result
	 * @throws IllegalStateException if an instance or a purchase failed, with its output
	 */
	SaleResult run(FlashSaleProperties sale, boolean lock) throws IOException, InterruptedException {
		this.observer.onStart(sale, lock);
		try (Instances instances = new Instances(sale.timeout(), this.databases.options(sale))) {
			this.databases.ledger(sale).open(sale.item(), sale.stock());
			SaleResult result = run(sale, lock, instances);
			this.observer.onEnd(result);
			return result;
		}
		catch (IOException | RuntimeException ex) {
			this.observer.onFailure(String.valueOf(ex.getMessage()));
			throw ex;
		}
		finally {
			this.locked = null;
			this.running = null;
		}
	}

	private SaleResult run(FlashSaleProperties sale, boolean lock, Instances instances)
			throws IOException, InterruptedException {
		this.running = instances;
		instances.start(this.command, sale, lock, this.observer);
		instances.awaitReady();
		long start = System.nanoTime();
		instances.go();
		this.locked = lock ? instances : null;
		this.observer.onSelling();
		Tally tally = instances.awaitTally();
		Duration time = Duration.ofNanos(System.nanoTime() - start);
		if (!instances.isDisturbed()) {
			requireComplete(sale, tally);
		}
		return result(sale, lock, time);
	}

	/** End the instances before the servers that they use. */
	@EventListener(ContextClosedEvent.class)
	void stop() throws IOException {
		Instances instances = this.running;
		if (instances != null) {
			instances.close();
		}
	}

	/** Return an instance that sells with the lock, for a fault. */
	Optional<SaleInstance> disturb(int number) {
		Instances instances = this.locked;
		return (instances != null) ? instances.disturb(number) : Optional.empty();
	}

	private void requireComplete(FlashSaleProperties sale, Tally tally) {
		if (tally.failed() > 0 || tally.buyers() != sale.buyers()) {
			throw new IllegalStateException("Not every buyer was served: " + tally + "; the instances say why");
		}
		int orders = this.databases.ledger(sale).orders(sale.item());
		if (orders != tally.sold()) {
			throw new IllegalStateException(
					"%d orders were confirmed and %d are in the database".formatted(tally.sold(), orders));
		}
	}

	private SaleResult result(FlashSaleProperties sale, boolean lock, Duration time) {
		Ledger ledger = this.databases.ledger(sale);
		int orders = ledger.orders(sale.item());
		return new SaleResult(lock, sale.buyers(), orders, ledger.quantity(sale.item()),
				Math.max(0, orders - sale.stock()), ledger.duplicateNumbers(sale.item()), ledger.fence(sale.item()),
				time.toMillis());
	}

}
