package io.distributedlock.sample.id;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IdBlockTests {

	private static final long YEAR_2255 = (1L << 53) - 1;

	@Test
	void takeWhenUsedUpIsEmpty() {
		IdBlock block = new IdBlock(7, 100);
		for (int i = 0; i < IdBlock.SIZE; i++) {
			assertThat(block.take(0)).hasValue((7L << IdBlock.SEQUENCE_BITS) + i);
		}
		assertThat(block.take(0)).isEmpty();
	}

	@Test
	void takeWhenExpiredIsEmpty() {
		assertThat(new IdBlock(7, 100).take(100)).isEmpty();
	}

	@Test
	void takeWhenTickerOverflowsComparesDifferences() {
		assertThat(new IdBlock(7, Long.MIN_VALUE + 10).take(Long.MAX_VALUE)).isPresent();
	}

	@Test
	void takeWhenTimeIsLargestIsPositive() {
		assertThat(new IdBlock(YEAR_2255, 100).take(0)).hasValue(YEAR_2255 << IdBlock.SEQUENCE_BITS);
		assertThat(YEAR_2255 << IdBlock.SEQUENCE_BITS).isPositive();
	}

}
