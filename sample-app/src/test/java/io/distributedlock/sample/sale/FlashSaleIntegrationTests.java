package io.distributedlock.sample.sale;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.distributedlock.sample.server.Endpoints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Two processes, 16 threads each, one item. {@code -Dsale.buyers=…} says how many
 * purchases are made.
 */
@SpringBootTest(properties = "flash-sale.run=false", webEnvironment = SpringBootTest.WebEnvironment.NONE)
@ExtendWith(OutputCaptureExtension.class)
class FlashSaleIntegrationTests {

	private static final String PREFIX = "flash-sale {";

	private static final int BUYERS = Integer.getInteger("sale.buyers", 400);

	private static final int STOCK = BUYERS / 4;

	@Autowired
	private Sales sales;

	@Autowired
	private SaleObserver observer;

	@Autowired
	private SaleDatabases databases;

	@Autowired
	private Endpoints endpoints;

	/**
	 * The run without the lock is the control: it shows that there is a race to be won.
	 */
	@Test
	@Timeout(600)
	void runWithLockNeverOversellsAndSameRunWithoutLockDoes(CapturedOutput output) throws Exception {
		new FlashSaleRunner(this.sales, sale(BUYERS, STOCK), this.endpoints).run(new DefaultApplicationArguments());
		List<SaleResult> results = results(output);
		assertThat(results).hasSize(2);
		SaleResult without = results.get(0);
		assertThat(without.lock()).isFalse();
		assertThat(without.oversold()).isPositive().isEqualTo(without.orders() - STOCK);
		assertThat(without.duplicateIds()).isZero();
		SaleResult with = results.get(1);
		assertThat(with).isEqualTo(new SaleResult(true, BUYERS, STOCK, 0, 0, 0, with.fence(), with.millis()));
		assertThat(with.fence()).isGreaterThan(without.fence());
		assertThat(output.getOut()).contains("without a lock", "with the lock", "--spring.datasource.url=jdbc:h2:tcp:");
	}

	@Test
	void runWhenInstanceCannotStartFailsWithItsOutput() {
		InstanceCommand broken = new InstanceCommand(
				new DefaultApplicationArguments("--spring.datasource.driver-class-name=no.such.Driver"),
				this.endpoints);
		assertThatIllegalStateException()
			.isThrownBy(() -> new FlashSale(broken, this.databases, this.observer).run(sale(1, 1), true))
			.withMessageContaining("instance-1")
			.withMessageContaining("no.such.Driver");
	}

	private static List<SaleResult> results(CapturedOutput output) {
		return output.getOut()
			.lines()
			.filter((line) -> line.startsWith(PREFIX))
			.map((line) -> result(JsonMapper.shared().readValue(line.substring(PREFIX.length() - 1), Map.class)))
			.toList();
	}

	private static SaleResult result(Map<?, ?> json) {
		assertThat(json).hasSize(8);
		return new SaleResult((boolean) json.get("lock"), number(json, "buyers"), number(json, "orders"),
				number(json, "stock"), number(json, "oversold"), number(json, "duplicateIds"),
				((Number) json.get("fence")).longValue(), number(json, "millis"));
	}

	private static int number(Map<?, ?> json, String name) {
		return (int) json.get(name);
	}

	private static FlashSaleProperties sale(int buyers, int stock) {
		return new FlashSaleProperties(false, 2, 16, buyers, stock, "ticket", Locks.IN_REDIS, Duration.ZERO,
				Duration.ofMinutes(10), Duration.ofMinutes(10));
	}

}
