package io.distributedlock.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedisStoreSettingsTests {

	@Test
	void defaultsAreThoseOfTheDesign() {
		assertThat(RedisStoreSettings.DEFAULTS)
			.isEqualTo(new RedisStoreSettings("lock:", Duration.ofMinutes(1), Duration.ofSeconds(1), true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "a{b}:", "{", "}" })
	void prefixWhenEmptyOrWithBracesIsRefused(String prefix) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings(prefix, Duration.ofMinutes(1), Duration.ofSeconds(1), true))
			.withMessageContaining("prefix");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "PT0S", "PT-0.000000001S", "PT0.000999999S", "PT8760H0.000000001S", "PT9223372036854775807S" })
	void durationWhenOutOfRangeIsRefused(Duration wrong) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings("lock:", wrong, Duration.ofSeconds(1), true))
			.withMessageContaining("retention");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings("lock:", Duration.ofSeconds(1), wrong, true))
			.withMessageContaining("timeout");
	}

}
