package io.distributedlock.embedded;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * How {@link RedisServers} obeys its properties.
 */
class RedisServersTests {

	private final String mode = System.getProperty(RedisServers.MODE_PROPERTY);

	@AfterEach
	void restoreProperties() {
		if (this.mode != null) {
			System.setProperty(RedisServers.MODE_PROPERTY, this.mode);
		}
		else {
			System.clearProperty(RedisServers.MODE_PROPERTY);
		}
		System.clearProperty(RedisServers.BINARY_PROPERTY);
	}

	@Test
	void startWhenModeIsUnknownNamesTheModes() {
		System.setProperty(RedisServers.MODE_PROPERTY, "moon");
		assertThatIllegalStateException().isThrownBy(RedisServers::start)
			.withMessageContaining("auto, docker, binary or path");
	}

	@Test
	void startWhenBinaryIsForcedUsesTheBundledOne() {
		System.setProperty(RedisServers.MODE_PROPERTY, "binary");
		try (RedisServer server = RedisServers.start()) {
			assertThat(server.description()).contains("bundled");
		}
	}

	@Test
	void startWhenBinaryIsNamedUsesIt() {
		String path = ServerBinary.bundled().orElseThrow().path().toString();
		System.setProperty(RedisServers.BINARY_PROPERTY, path);
		System.setProperty(RedisServers.MODE_PROPERTY, "auto");
		try (RedisServer server = RedisServers.start()) {
			assertThat(server.description()).contains(path, "7.0.15");
		}
	}

	@Test
	void startWhenNamedBinaryIsNoServerSaysSo() {
		System.setProperty(RedisServers.BINARY_PROPERTY, "/bin/echo");
		System.setProperty(RedisServers.MODE_PROPERTY, "auto");
		assertThatIllegalStateException().isThrownBy(RedisServers::start).withMessageContaining("not a Redis server");
	}

}
