package io.distributedlock.migration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationsTests {

	@ParameterizedTest
	@CsvSource({ "0,0", "1,1ms", "1500,1500ms", "2000,2s", "60000,1m", "90000,90s", "7200000,120m" })
	void millisecondsBecomeTheLargestUnit(long millis, String text) {
		assertThat(Durations.ofMillis(millis)).isEqualTo(text);
	}

}
