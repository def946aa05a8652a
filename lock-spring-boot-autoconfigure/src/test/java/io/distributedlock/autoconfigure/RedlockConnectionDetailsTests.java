package io.distributedlock.autoconfigure;

import io.distributedlock.autoconfigure.RedlockConnectionDetails.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedlockConnectionDetailsTests {

	/** It was a node that nothing could ever reach, such as a container not started. */
	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	void nodeWithABlankHostIsRefused(String host) {
		assertThatIllegalArgumentException().isThrownBy(() -> Node.of(host, 6379))
			.withMessage("The host of a node must not be blank");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 0, 65_536 })
	void nodeWithAPortOutsideOfItsRangeIsRefused(int port) {
		assertThatIllegalArgumentException().isThrownBy(() -> Node.of("a", port))
			.withMessage("The port of node 'a' must be between 1 and 65535 but is " + port);
	}

	@Test
	void nodeInItsRangeIsThere() {
		assertThat(Node.of("a", 1)).hasToString("a:1");
		assertThat(Node.of("a", 65_535)).hasToString("a:65535");
	}

}
