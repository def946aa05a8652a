package io.distributedlock.sample.sale;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.sample.server.Endpoints;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Runs the sale when the application has started, first without the lock and then with
 * it, and prints the next things to try.
 */
@Component
@Profile("!instance")
@ConditionalOnBooleanProperty(name = "flash-sale.run", matchIfMissing = true)
class FlashSaleRunner implements ApplicationRunner {

	private final Sales sales;

	private final FlashSaleProperties sale;

	private final Endpoints endpoints;

	FlashSaleRunner(Sales sales, FlashSaleProperties sale, Endpoints endpoints) {
		this.sales = sales;
		this.sale = sale;
		this.endpoints = endpoints;
	}

	@Override
	public void run(ApplicationArguments arguments) throws Exception {
		System.out.printf(
				"%n%d buyers want %d pieces of '%s': %d instances in processes of their own, %d threads each%n",
				this.sale.buyers(), this.sale.stock(), this.sale.item(), this.sale.instances(), this.sale.threads());
		List<SaleResult> results = new ArrayList<>();
		this.sales.run(this.sale, (result) -> {
			System.out.println(result.toJsonLine());
			results.add(result);
		});
		System.out.println();
		System.out.println(SaleTable.of(results));
		System.out.println("The shop stays open: see sample-app/README.md for requests to try. Ctrl-C ends it.");
		System.out.println("Another instance on the same data, in another terminal:");
		System.out.println("  " + SecondInstance.command(this.endpoints));
	}

}
