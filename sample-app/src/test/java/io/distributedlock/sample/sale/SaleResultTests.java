package io.distributedlock.sample.sale;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SaleResultTests {

	private final SaleResult result = new SaleResult(true, 2000, 500, 0, 0, 0, 1_790_000_000_000_123L, 4123);

	@Test
	void toJsonLineHasAllFieldsInOrder() {
		assertThat(this.result.toJsonLine()).isEqualTo("flash-sale {\"lock\":true,\"buyers\":2000,\"orders\":500,"
				+ "\"stock\":0,\"oversold\":0,\"duplicateIds\":0,\"fence\":1790000000000123,\"millis\":4123}");
	}

	@Test
	void tableHasOneAlignedRowForEachRun() {
		List<String> lines = SaleTable.of(List.of(new SaleResult(false, 2000, 1999, 3, 1499, 1, 0, 900), this.result))
			.lines()
			.toList();
		assertThat(lines).hasSize(3).allSatisfy((line) -> assertThat(line).hasSameSizeAs(lines.get(0)));
		assertThat(lines.get(1)).contains("without a lock", "1499", "0.9 s");
		assertThat(lines.get(2)).contains("with the lock", "500", "4.1 s");
	}

}
