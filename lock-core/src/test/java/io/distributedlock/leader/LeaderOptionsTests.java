package io.distributedlock.leader;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaderOptionsTests {

	@Test
	void optionsWhenSetAreThere() {
		LeaderOptions options = LeaderOptions.DEFAULTS.withTtl(Duration.ofSeconds(9))
			.withMargin(Duration.ofSeconds(3))
			.withListenerGrace(Duration.ZERO);
		assertThat(options).isEqualTo(new LeaderOptions(Duration.ofSeconds(9), Duration.ofSeconds(3), Duration.ZERO));
		assertThat(LeaderOptions.DEFAULTS).isEqualTo(new LeaderOptions(null, null, Duration.ofSeconds(10)));
	}

	@Test
	void optionsThatCannotWorkAreRefused() {
		assertRefused("ttl", () -> LeaderOptions.DEFAULTS.withTtl(Duration.ofMillis(199)));
		assertRefused("margin", () -> LeaderOptions.DEFAULTS.withMargin(Duration.ZERO));
		assertRefused("listenerGrace", () -> LeaderOptions.DEFAULTS.withListenerGrace(Duration.ofMillis(-1)));
	}

	private static void assertRefused(String setting, Runnable call) {
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(call::run)
			.satisfies((ex) -> assertThat(ex.getSetting()).isEqualTo(setting));
	}

	@Test
	void marginOfMoreThanHalfOfTheTtlIsRefused() {
		LeaderOptions options = LeaderOptions.DEFAULTS.withTtl(Duration.ofSeconds(10));
		assertThat(options.withMargin(Duration.ofSeconds(5)).margin()).isEqualTo(Duration.ofSeconds(5));
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> options.withMargin(Duration.ofMillis(5001)))
			.withMessage("margin must be at most half of the ttl, which is 10s, but is 5001ms");
	}

}
