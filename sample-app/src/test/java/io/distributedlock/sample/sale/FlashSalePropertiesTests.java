package io.distributedlock.sample.sale;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FlashSalePropertiesTests {

	@Test
	void buyersOfSharesAllBuyers() {
		FlashSaleProperties sale = new FlashSaleProperties(true, 3, 1, 11, 1, "ticket", Locks.IN_REDIS, Duration.ZERO,
				Duration.ZERO, Duration.ZERO);
		assertThat(IntStream.range(0, 3).map(sale::buyersOf)).containsExactly(4, 4, 3);
	}

}
