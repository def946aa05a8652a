package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Objects;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.RedisStoreSettings;
import io.lettuce.core.SslVerifyMode;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Connections of Jedis for the locks of an application that uses Lettuce: the same
 * servers, user, password, database, client name, time-outs and TLS. What Jedis cannot
 * have is refused, with its name.
 */
final class JedisConnections {

	private static final String BOOT = BeansOfBoot.PACKAGE;

	/** The packages of Spring Boot 4 and of Spring Boot 3. */
	private static final List<String> PACKAGES = List.of(BOOT + "data.redis.autoconfigure.",
			BOOT + "autoconfigure.data.redis.");

	/** The connection details of Spring Boot 4 and of Spring Boot 3. */
	static final List<String> DETAILS = List.of(PACKAGES.get(0) + "DataRedisConnectionDetails",
			PACKAGES.get(1) + "RedisConnectionDetails");

	/** What applications customize, by the last part of its type. */
	private static final List<String> CUSTOMIZERS = List.of("LettuceClientConfigurationBuilderCustomizer",
			"LettuceClientOptionsBuilderCustomizer", "ClientResourcesBuilderCustomizer");

	private final LettuceConnectionFactory application;

	private final ConfigurableListableBeanFactory beanFactory;

	private JedisConnections(LettuceConnectionFactory application, ConfigurableListableBeanFactory beanFactory) {
		this.application = application;
		this.beanFactory = beanFactory;
	}

	/**
	 * Create a connection factory of Jedis. Opens nothing.
	 * @param application the factory of the application, which is only read
	 * @param settings the settings of the store
	 * @param beanFactory has what the application customizes
	 * @return the factory of the application itself if it is that of Jedis
	 * @throws InvalidLockPropertyException if a part of its configuration cannot be
	 * carried over
	 */
	static RedisConnectionFactory of(RedisConnectionFactory application, RedisStoreSettings settings,
			ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent("redis.clients.jedis.Jedis", beanFactory.getBeanClassLoader())) {
			throw refused("needs Jedis, which is not on the class path", "Add redis.clients:jedis");
		}
		if (settings.replicaAcks().count() > 0) {
			throw refused("cannot wait for replicas", "Remove distributed-lock.redis.replica-acks");
		}
		if (application instanceof JedisConnectionFactory) {
			return application;
		}
		if (settings.sharedConnection()) {
			throw refused("needs connections of its own, where the application uses another driver",
					"Remove distributed-lock.redis.connection=shared");
		}
		if (application.getClass() != LettuceConnectionFactory.class) {
			throw refused("needs the connection factory that Spring Boot makes, and found "
					+ application.getClass().getName(), "Let Spring Boot make it");
		}
		return new JedisConnections((LettuceConnectionFactory) application, beanFactory).create();
	}

	private static InvalidLockPropertyException refused(String problem, String remedy) {
		return new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redis.driver", "jedis", problem,
				remedy + ", or remove this property: then the locks use the driver of the application", null);
	}

	private JedisConnectionFactory create() {
		JedisClientConfiguration client = client(this.application.getClientConfiguration());
		// Its methods take other kinds of configuration for a server on the local host.
		Object servers = new DirectFieldAccessor(this.application).getPropertyValue("configuration");
		if (servers instanceof RedisStandaloneConfiguration server) {
			return new JedisConnectionFactory(server, client);
		}
		if (servers instanceof RedisSentinelConfiguration group) {
			return new JedisConnectionFactory(group, client);
		}
		if (servers instanceof RedisClusterConfiguration cluster) {
			return new JedisConnectionFactory(cluster, client);
		}
		throw refused(
				"works with a single server, Sentinel and a cluster, and found " + ClassUtils
					.getShortName(String.valueOf((servers != null) ? servers.getClass().getName() : null)),
				"Configure one of these");
	}

	private JedisClientConfiguration client(LettuceClientConfiguration lettuce) {
		requireNoCustomizers();
		if (lettuce.getRedisCredentialsProviderFactory().isPresent()) {
			throw refused("cannot use a credentials provider of Lettuce",
					"Use spring.data.redis.username and password");
		}
		if (lettuce.isStartTls() || (lettuce.isUseSsl() && lettuce.getVerifyMode() == SslVerifyMode.NONE)) {
			throw refused(lettuce.isStartTls() ? "cannot use StartTLS" : "cannot trust every certificate",
					"Use TLS with spring.data.redis.ssl.bundle");
		}
		if (lettuce.getClientOptions().isPresent()
				&& !BeansOfBoot.isTheOnly(this.beanFactory, LettuceConnectionFactory.class)) {
			throw refused("cannot have the ClientOptions of a connection factory that the application makes",
					"Let Spring Boot make it");
		}
		JedisClientConfigurationBuilder jedis = JedisClientConfiguration.builder()
			.readTimeout(lettuce.getCommandTimeout());
		lettuce.getClientOptions()
			.ifPresent((options) -> jedis.connectTimeout(options.getSocketOptions().getConnectTimeout()));
		lettuce.getClientName().ifPresent(jedis::clientName);
		return lettuce.isUseSsl() ? withTls(jedis, lettuce) : jedis.build();
	}

	private void requireNoCustomizers() {
		for (String customizer : CUSTOMIZERS) {
			PACKAGES.stream()
				.map((name) -> present(name + customizer))
				.filter(Objects::nonNull)
				.forEach((type) -> requireNone(customizer, type));
		}
	}

	/** Those of Spring Boot measure and trace Lettuce. */
	private void requireNone(String customizer, Class<?> type) {
		this.beanFactory.getBeansOfType(type).forEach((name, bean) -> {
			if (!bean.getClass().getName().startsWith(BOOT)) {
				throw refused("cannot have what the bean '%s', a %s, sets for Lettuce".formatted(name, customizer),
						"Remove that bean if it is for the locks");
			}
		});
	}

	private static @Nullable Class<?> present(String name) {
		ClassLoader loader = JedisConnections.class.getClassLoader();
		return ClassUtils.isPresent(name, loader) ? ClassUtils.resolveClassName(name, loader) : null;
	}

	private JedisClientConfiguration withTls(JedisClientConfigurationBuilder jedis,
			LettuceClientConfiguration lettuce) {
		SSLParameters parameters = new SSLParameters();
		if (lettuce.getVerifyMode() == SslVerifyMode.FULL) {
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
		}
		SslBundle bundle = bundle();
		SslOptions options = (bundle != null) ? bundle.getOptions() : SslOptions.NONE;
		if (options.getCiphers() != null) {
			parameters.setCipherSuites(options.getCiphers());
		}
		if (options.getEnabledProtocols() != null) {
			parameters.setProtocols(options.getEnabledProtocols());
		}
		return jedis.useSsl()
			.sslSocketFactory((bundle != null) ? bundle.createSslContext().getSocketFactory()
					: (SSLSocketFactory) SSLSocketFactory.getDefault())
			.sslParameters(parameters)
			.build();
	}

	/**
	 * Return the bundle of the connection details, whose type differs between Spring Boot
	 * 3 and 4; {@code null} for the certificates that the JVM trusts.
	 */
	private @Nullable SslBundle bundle() {
		for (String name : DETAILS) {
			Class<?> type = present(name);
			if (type != null && this.beanFactory.getBeanNamesForType(type).length > 0) {
				return (SslBundle) ReflectionUtils.invokeMethod(ClassUtils.getMethod(type, "getSslBundle"),
						this.beanFactory.getBean(type));
			}
		}
		return null;
	}

}
