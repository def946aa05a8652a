package io.distributedlock.sample.sale;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Runs one sale at a time: the one at the start of the application, and those of the
 * page.
 */
@Component
@Profile("!instance")
public class Sales {

	private static final Log logger = LogFactory.getLog(Sales.class);

	private final FlashSale flashSale;

	private final AtomicBoolean busy = new AtomicBoolean();

	Sales(FlashSale flashSale) {
		this.flashSale = flashSale;
	}

	/** Run the sale on this thread, without the lock and then with it. */
	void run(FlashSaleProperties sale, Consumer<SaleResult> results) throws IOException, InterruptedException {
		claim();
		runClaimed(sale, List.of(false, true), results);
	}

	/**
	 * Run the sale on a thread of its own.
	 * @param sale the options
	 * @param compare {@code true} to run it without the lock first
	 * @throws SaleRunningException if a sale is running
	 */
	public void start(FlashSaleProperties sale, boolean compare) {
		claim();
		Thread thread = new Thread(() -> runInBackground(sale, compare), "sale");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Check whether a sale is running.
	 * @return {@code true} if another one would be refused
	 */
	public boolean isBusy() {
		return this.busy.get();
	}

	/**
	 * Return an instance that sells with the lock, for a fault.
	 * @param number the number of the instance
	 * @return the instance, or empty if it does not sell
	 */
	public Optional<SaleInstance> disturb(int number) {
		return this.flashSale.disturb(number);
	}

	private void claim() {
		if (!this.busy.compareAndSet(false, true)) {
			throw new SaleRunningException();
		}
	}

	private void runInBackground(FlashSaleProperties sale, boolean compare) {
		try {
			runClaimed(sale, compare ? List.of(false, true) : List.of(true), (result) -> {
			});
		}
		catch (IOException | RuntimeException ex) {
			logger.error("The sale failed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void runClaimed(FlashSaleProperties sale, List<Boolean> locks, Consumer<SaleResult> results)
			throws IOException, InterruptedException {
		try {
			for (boolean lock : locks) {
				results.accept(this.flashSale.run(sale, lock));
			}
		}
		finally {
			this.busy.set(false);
		}
	}

}
