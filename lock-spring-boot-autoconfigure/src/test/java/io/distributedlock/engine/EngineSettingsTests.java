package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EngineSettingsTests {

	@ParameterizedTest
	@ValueSource(strings = { "PT0.001S", "PT8760H" })
	void durationWhenAtTheLimitIsTaken(Duration limit) {
		EngineSettings settings = new EngineSettings(limit, limit);
		assertThat(settings.pollInterval()).isEqualTo(settings.shutdownGrace()).isEqualTo(limit);
	}

	/** The longest of these used to overflow where nanoseconds are counted. */
	@ParameterizedTest
	@ValueSource(strings = { "PT-0.000000001S", "PT8760H0.000000001S", "PT9223372036854775807S" })
	void durationWhenOutOfRangeIsRefused(Duration wrong) {
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(wrong))
			.withMessageContaining("pollInterval must be between PT0.001S and PT8760H");
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withShutdownGrace(wrong))
			.withMessageContaining("shutdownGrace must be between PT0S and PT8760H");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.000999999S" })
	void pollIntervalWhenShorterThanAMillisecondIsRefused(Duration wrong) {
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(wrong));
	}

}
