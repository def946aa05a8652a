package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptArgumentsTests {

	/** What was cut off was missing from the lease, and its holder relied on it. */
	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "1000000, 1", "1000001, 2", "1999999, 2" })
	void millisecondsAreNeverLessThanTheTime(long nanos, String millis) {
		assertThat(ScriptArguments.millis(Duration.ofNanos(nanos))).asString(StandardCharsets.UTF_8).isEqualTo(millis);
	}

}
