package io.distributedlock.embedded;

import java.util.Properties;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * How {@link RedisServers} obeys its properties.
 */
class RedisServersTests {

	private final Properties properties = (Properties) System.getProperties().clone();

	@AfterEach
	void restoreProperties() {
		System.setProperties(this.properties);
	}

	@Test
	void startWhenModeIsUnknownNamesTheModes() {
		System.setProperty(RedisServers.MODE_PROPERTY, "moon");
		assertThatIllegalStateException().isThrownBy(RedisServers::start)
			.withMessageContaining("auto, docker, binary, path or none");
	}

	/** A test that is not called so must not be among those that need no server. */
	@Test
	void startWhenForbiddenNamesTheTestsThatMay() {
		System.setProperty(RedisServers.MODE_PROPERTY, "none");
		assertThatIllegalStateException().isThrownBy(RedisServers::start).withMessageContaining("IntegrationTests");
		assertThatIllegalStateException().isThrownBy(RedisCluster::start).withMessageContaining("IntegrationTests");
	}

	@Test
	void startWhenNamedBinaryIsNoServerSaysSo() {
		System.setProperty(RedisServers.BINARY_PROPERTY, "/bin/echo");
		System.setProperty(RedisServers.MODE_PROPERTY, "auto");
		assertThatIllegalStateException().isThrownBy(RedisServers::start).withMessageContaining("not a Redis server");
	}

}
