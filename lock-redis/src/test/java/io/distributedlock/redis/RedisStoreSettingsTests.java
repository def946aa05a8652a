package io.distributedlock.redis;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

class RedisStoreSettingsTests {

	@Test
	void defaultsAreThoseOfTheDesign() {
		assertThat(RedisStoreSettings.DEFAULTS)
			.isEqualTo(new RedisStoreSettings("lock:", Duration.ofMinutes(1), Duration.ofSeconds(1), true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "a{b}:", "{", "}", "lock", "lock::", "a::b:", "::" })
	void prefixWhenEmptyOrWithBracesOrWithoutAnEndIsRefused(String prefix) {
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
			.withMessageContaining("tokenRetention must be between 1s and 365d");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings("lock:", Duration.ofSeconds(1), wrong, true))
			.withMessageContaining("commandTimeout must be between 1ms and 365d");
	}

	/** Readers that were admitted outlived the hash that knows of them. */
	@Test
	void retentionWhenShorterThanASecondIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings("lock:", Duration.ofMillis(999), Duration.ofSeconds(1), true))
			.withMessage("tokenRetention must be between 1s and 365d but is 999ms");
	}

	@Test
	void replicaAcksWhenSlowerThanACommandAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisStoreSettings.DEFAULTS.withReplicaAcks(new ReplicaAcks(1, Duration.ofSeconds(1))))
			.withMessage("replicaAcksTimeout must be shorter than the timeout of commands, 1s, but is 1s");
		assertThat(RedisStoreSettings.DEFAULTS.withReplicaAcks(new ReplicaAcks(0, Duration.ofSeconds(1))).replicaAcks())
			.isEqualTo(new ReplicaAcks(0, Duration.ofSeconds(1)));
	}

	@Test
	void replicaAcksWhenNegativeOrEndlessAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ReplicaAcks(-1, Duration.ofSeconds(1)));
		assertThatIllegalArgumentException().isThrownBy(() -> new ReplicaAcks(1_001, Duration.ofSeconds(1)));
		assertThatIllegalArgumentException().isThrownBy(() -> new ReplicaAcks(1, Duration.ofNanos(999_999)));
	}

	/**
	 * A pool of Jedis may wait for replicas on connections that renewals need, and any
	 * other factory share one connection without saying so.
	 */
	@ParameterizedTest
	@MethodSource
	void replicaAcksWhenTheDriverIsNotLettuceAreRefused(RedisConnectionFactory factory) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisLockStore(factory,
					RedisStoreSettings.DEFAULTS.withReplicaAcks(new ReplicaAcks(1, Duration.ofMillis(100)))))
			.withMessageContainingAll("Lettuce", "spring.data.redis.client-type=lettuce");
	}

	static Stream<RedisConnectionFactory> replicaAcksWhenTheDriverIsNotLettuceAreRefused() {
		return Stream.of(mock(RedisConnectionFactory.class), new JedisConnectionFactory());
	}

}
