package io.distributedlock.redis;

import java.time.Duration;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslVerifyMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The settings of Lettuce that Jedis gets, and those that it cannot have. */
class JedisConnectionsTests {

	private static final SSLSocketFactory SOCKETS = (SSLSocketFactory) SSLSocketFactory.getDefault();

	private final SSLParameters parameters = new SSLParameters();

	private JedisConnectionFactory like(RedisConfiguration servers, LettuceClientConfiguration client) {
		return (JedisConnectionFactory) like(new LettuceConnectionFactory(servers, client));
	}

	private RedisConnectionFactory like(RedisConnectionFactory application) {
		return JedisConnections.like(application, () -> SOCKETS, this.parameters);
	}

	private static LettuceClientConfigurationBuilder client() {
		return LettuceClientConfiguration.builder();
	}

	@Test
	void settingsOfLettuceAreThoseOfJedis() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis1", 7000);
		server.setDatabase(3);
		server.setUsername("locks");
		server.setPassword("secret");
		JedisConnectionFactory made = like(server,
				client().commandTimeout(Duration.ofSeconds(7))
					.clientName("shop")
					.clientOptions(ClientOptions.builder()
						.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(9)).build())
						.build())
					.build());
		assertThat(made.getStandaloneConfiguration()).isSameAs(server);
		JedisClientConfiguration settings = made.getClientConfiguration();
		assertThat(settings.getReadTimeout()).isEqualTo(Duration.ofSeconds(7));
		assertThat(settings.getConnectTimeout()).isEqualTo(Duration.ofSeconds(9));
		assertThat(settings.getClientName()).contains("shop");
		assertThat(settings.isUseSsl()).isFalse();
	}

	@Test
	void serversOfEachKindAreKept() {
		RedisSentinelConfiguration group = new RedisSentinelConfiguration().master("locks").sentinel("redis1", 26379);
		assertThat(like(group, client().build()).getSentinelConfiguration()).isSameAs(group);
		RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("redis1", 7000);
		cluster.setUsername("locks");
		cluster.setPassword("secret");
		RedisClusterConfiguration made = like(cluster, client().build()).getClusterConfiguration();
		assertThat(made.getClusterNodes()).isEqualTo(cluster.getClusterNodes());
		assertThat(made.getUsername()).isEqualTo("locks");
		assertThat(made.getPassword()).isEqualTo(cluster.getPassword());
		assertThat(made.getMaxRedirects()).isNull();
	}

	/** Jedis would follow none where Lettuce follows one. */
	@Test
	void redirectsOfAClusterAreOneAttemptMore() {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("redis1", 7000);
		cluster.setMaxRedirects(1);
		assertThat(like(cluster, client().build()).getClusterConfiguration().getMaxRedirects()).isEqualTo(2);
	}

	@ParameterizedTest
	@EnumSource(value = SslVerifyMode.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void hostNamesAreComparedAsWithLettuce(SslVerifyMode mode) {
		this.parameters.setProtocols(new String[] { "TLSv1.3" });
		JedisClientConfiguration settings = like(new RedisStandaloneConfiguration(),
				client().useSsl().verifyPeer(mode).build())
			.getClientConfiguration();
		assertThat(settings.isUseSsl()).isTrue();
		assertThat(settings.getSslSocketFactory()).contains(SOCKETS);
		assertThat(settings.getSslParameters().orElseThrow().getEndpointIdentificationAlgorithm())
			.isEqualTo((mode == SslVerifyMode.FULL) ? "HTTPS" : null);
		assertThat(settings.getSslParameters().orElseThrow().getProtocols()).containsExactly("TLSv1.3");
	}

	@Test
	void factoryOfAnotherDriverIsReturned() {
		RedisConnectionFactory jedis = new JedisConnectionFactory();
		assertThat(like(jedis)).isSameAs(jedis);
	}

	@Test
	void factoryOfAnUnknownKindIsRefused() {
		RedisConnectionFactory proxy = ProxyFactory.getProxy(RedisConnectionFactory.class,
				new SingletonTargetSource(new LettuceConnectionFactory()));
		assertThatIllegalArgumentException().isThrownBy(() -> like(proxy))
			.withMessageContaining("needs a connection factory of Lettuce or Jedis, and found")
			.withMessageContaining(proxy.getClass().getName());
	}

	@Test
	void socketsAreNotMadeWithoutTls() {
		assertThat(JedisConnections.like(new LettuceConnectionFactory(), () -> {
			throw new IllegalStateException("asked");
		}, this.parameters)).isInstanceOf(JedisConnectionFactory.class);
	}

	static Stream<Arguments> refusals() {
		RedisConfiguration server = new RedisStandaloneConfiguration();
		return Stream.of(Arguments.of("cannot use a credentials provider", new LettuceConnectionFactory(server,
				client().redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
				}).build())),
				Arguments.of("cannot use StartTLS",
						new LettuceConnectionFactory(server, client().useSsl().startTls().build())),
				Arguments.of("cannot trust every certificate",
						new LettuceConnectionFactory(server, client().useSsl().disablePeerVerification().build())),
				Arguments.of("found RedisStaticMasterReplicaConfiguration",
						new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("redis1"),
								client().build())),
				Arguments.of("found RedisSocketConfiguration",
						new LettuceConnectionFactory(new RedisSocketConfiguration("/tmp/redis"), client().build())),
				Arguments.of(Derived.class.getName(), new Derived()));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void settingThatJedisCannotHaveIsRefused(String named, LettuceConnectionFactory application) {
		assertThatIllegalArgumentException().isThrownBy(() -> like(application)).withMessageContaining(named);
	}

	/** A subclass, which may change anything. */
	private static final class Derived extends LettuceConnectionFactory {

	}

}
