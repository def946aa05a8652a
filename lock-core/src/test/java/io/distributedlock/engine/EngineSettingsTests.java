package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EngineSettingsTests {

	@ParameterizedTest
	@ValueSource(strings = { "PT0.001S", "PT20S" })
	void pollIntervalWhenAtTheLimitIsTaken(Duration limit) {
		assertThat(EngineSettings.DEFAULTS.withPollInterval(limit).pollInterval()).isEqualTo(limit);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT8760H" })
	void graceWhenAtTheLimitIsTaken(Duration limit) {
		assertThat(EngineSettings.DEFAULTS.withShutdownGrace(limit).shutdownGrace()).isEqualTo(limit);
	}

	/** The longest of these used to overflow where nanoseconds are counted. */
	@ParameterizedTest
	@ValueSource(strings = { "PT-0.000000001S", "PT8760H0.000000001S", "PT9223372036854775807S" })
	void durationWhenOutOfRangeIsRefused(Duration wrong) {
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(wrong))
			.withMessageContaining("pollInterval must be between 1ms and 20s");
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withShutdownGrace(wrong))
			.withMessageContaining("shutdownGrace must be between 0 and 365d");
	}

	/**
	 * Its waiters would be taken for those of a clock that went back, and not be woken.
	 */
	@Test
	void pollIntervalWhoseWaiterEntriesWouldOutlastAMinuteIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(Duration.ofSeconds(20).plusNanos(1)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.000999999S" })
	void pollIntervalWhenShorterThanAMillisecondIsRefused(Duration wrong) {
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(wrong));
	}

}
