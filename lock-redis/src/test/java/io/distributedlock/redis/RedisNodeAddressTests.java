package io.distributedlock.redis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedisNodeAddressTests {

	private static RedisNodeAddress address(String host, int port) {
		return new RedisNodeAddress(host, port, 0, null, "secret", null);
	}

	/** It was a server that nothing could ever reach. */
	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	void hostWhenBlankIsRefused(String host) {
		assertThatIllegalArgumentException().isThrownBy(() -> address(host, 6379))
			.withMessage("The host of a node must not be blank");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 0, 65_536 })
	void portWhenOutsideOfItsRangeIsRefused(int port) {
		assertThatIllegalArgumentException().isThrownBy(() -> address("a", port))
			.withMessage("The port of node 'a' must be between 1 and 65535 but is " + port);
	}

	@ParameterizedTest
	@CsvSource({ "a, 1", "'[::1]', 65535" })
	void addressInItsRangeIsThere(String host, int port) {
		assertThat(address(host, port)).hasToString("redis://" + host + ":" + port);
	}

	@Test
	void portIsThatOfRedisUnlessItIsSaid() {
		assertThat(RedisNodeAddress.parse("redis://a").port()).isEqualTo(6379);
	}

}
