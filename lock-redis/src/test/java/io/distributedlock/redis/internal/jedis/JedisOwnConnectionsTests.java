package io.distributedlock.redis.internal.jedis;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;

/**
 * {@link JedisOwnConnections} before any is opened.
 */
class JedisOwnConnectionsTests {

	private static final Set<String> OWN = Set.of("isUsePooling", "getPoolConfig", "getConnectTimeout",
			"getReadTimeout");

	private final JedisClientConfiguration application = mock(JedisClientConfiguration.class);

	private JedisClientConfiguration own() {
		return JedisOwnConnections
			.of(new JedisConnectionFactory(new RedisStandaloneConfiguration(), this.application), Duration.ofSeconds(2))
			.getClientConfiguration();
	}

	static Stream<Method> others() {
		return Arrays.stream(JedisClientConfiguration.class.getMethods())
			.filter((method) -> !Modifier.isStatic(method.getModifiers()) && !OWN.contains(method.getName()));
	}

	/** Those of a newer Spring Data Redis were left out. */
	@ParameterizedTest
	@MethodSource("others")
	void settingWhenLocksNeedNoneOfTheirOwnIsThatOfTheApplication(Method setting) throws Exception {
		setting.invoke(own());
		assertThat(mockingDetails(this.application).getInvocations())
			.anyMatch((invocation) -> invocation.getMethod().getName().equals(setting.getName()));
	}

	@ParameterizedTest
	@CsvSource({ "0, 2000", "500, 500", "2000, 2000", "60000, 2000" })
	void timeoutsAreThoseOfTheApplicationOrShorter(long millis, long own) {
		given(this.application.getConnectTimeout()).willReturn(Duration.ofMillis(millis));
		given(this.application.getReadTimeout()).willReturn(Duration.ofMillis(millis));
		assertThat(own().getConnectTimeout()).hasMillis(own);
		assertThat(own().getReadTimeout()).hasMillis(own);
	}

	@Test
	void poolIsAnotherOne() {
		assertThat(own().isUsePooling()).isTrue();
		assertThat(own().getPoolConfig()).hasValueSatisfying((pool) -> assertThat(pool.getMaxTotal()).isEqualTo(16));
	}

	@Test
	void failureOfASettingIsThatOfTheApplication() {
		given(this.application.getClientName()).willThrow(new IllegalStateException("No name"));
		assertThatIllegalStateException().isThrownBy(() -> own().getClientName()).withMessage("No name");
	}

}
