package io.distributedlock.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.JedisConnections;
import io.distributedlock.redis.RedisStoreSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Connections of Jedis for the locks of an application that uses Lettuce. A part of its
 * configuration that Jedis cannot have is refused, with its name.
 */
final class JedisForLocks {

	/** The packages of Spring Boot 4 and of Spring Boot 3. */
	private static final List<String> PACKAGES = List.of(BeansOfBoot.PACKAGE + "data.redis.autoconfigure.",
			BeansOfBoot.PACKAGE + "autoconfigure.data.redis.");

	private static final String SSL_BUNDLE = "getSslBundle";

	/** The connection details of Spring Boot 4 and of Spring Boot 3. */
	private static final List<String> DETAILS = List.of(PACKAGES.get(0) + "DataRedisConnectionDetails",
			PACKAGES.get(1) + "RedisConnectionDetails");

	/** The kinds of servers; with Spring Boot 3 each has its own TLS. */
	private static final List<String> KINDS = List.of("Sentinel", "Cluster", "Standalone");

	/** The last parts of the types of beans with which an application changes Lettuce. */
	private static final List<String> CUSTOMIZERS = List.of("LettuceClientConfigurationBuilderCustomizer",
			"LettuceClientOptionsBuilderCustomizer", "ClientResourcesBuilderCustomizer");

	private static final String RESOURCES = "io.lettuce.core.resource.ClientResources";

	private static final String JEDIS = "redis.clients.jedis.";

	private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.";

	private final RedisConnectionFactory application;

	private final ConfigurableListableBeanFactory beanFactory;

	JedisForLocks(RedisConnectionFactory application, ConfigurableListableBeanFactory beanFactory) {
		this.application = application;
		this.beanFactory = beanFactory;
	}

	/**
	 * Create a connection factory of Jedis. Opens nothing.
	 * @param settings the settings of the store
	 * @return the factory of the application itself if that is of Jedis
	 * @throws InvalidLockPropertyException if a part of the configuration cannot be
	 * carried over
	 */
	RedisConnectionFactory factory(RedisStoreSettings settings) {
		if (present(JEDIS + "Jedis") == null) {
			throw refused("needs Jedis, which is not on the class path: add redis.clients:jedis");
		}
		if (settings.replicaAcks().count() > 0) {
			throw refused("cannot wait for replicas: remove distributed-lock.redis.replica-acks");
		}
		if (this.application.getClass().getName().startsWith(LETTUCE)) {
			if (settings.sharedConnection()) {
				throw refused("needs connections of its own: remove distributed-lock.redis.connection=shared");
			}
			if (!BeansOfBoot.isMade(this.beanFactory, RedisConnectionFactory.class, this.application)) {
				throw refused("needs the connection factory of Lettuce that Spring Boot makes, and found one of the "
						+ "application, whose client options and certificates are not known");
			}
			requireNoCustomizers();
		}
		try {
			SslBundle bundle = bundle();
			return JedisConnections.like(this.application,
					() -> (bundle != null) ? bundle.createSslContext().getSocketFactory()
							: (SSLSocketFactory) SSLSocketFactory.getDefault(),
					parameters((bundle != null) ? bundle.getOptions() : SslOptions.NONE));
		}
		catch (IllegalArgumentException ex) {
			throw refused(String.valueOf(ex.getMessage()));
		}
	}

	private static InvalidLockPropertyException refused(String problem) {
		return new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redis.driver", "jedis", problem,
				"Change that, or remove this property: then the locks use the driver of the application", null);
	}

	private void requireNoCustomizers() {
		for (String customizer : CUSTOMIZERS) {
			PACKAGES.stream()
				.map((name) -> present(name + customizer))
				.filter(Objects::nonNull)
				.forEach((type) -> requireNone(customizer, type));
		}
		Class<?> resources = present(RESOURCES);
		if (resources != null) {
			requireNone("ClientResources", resources);
		}
	}

	/** Those of Spring Boot measure and trace Lettuce. */
	private void requireNone(String customizer, Class<?> type) {
		BeanFactoryUtils.beansOfTypeIncludingAncestors(this.beanFactory, type).forEach((name, bean) -> {
			if (!bean.getClass().getName().startsWith(BeansOfBoot.PACKAGE)
					&& !BeansOfBoot.isMade(this.beanFactory, type, bean)) {
				throw refused("cannot have what the bean '%s', a %s, sets for Lettuce".formatted(name, customizer));
			}
		});
	}

	private @Nullable Class<?> present(String name) {
		ClassLoader loader = this.beanFactory.getBeanClassLoader();
		return ClassUtils.isPresent(name, loader) ? ClassUtils.resolveClassName(name, loader) : null;
	}

	/** Return the names of the types of which methods are found by name. */
	static Stream<String> withMethods() {
		return Stream.concat(DETAILS.stream(),
				DETAILS.stream().flatMap((details) -> KINDS.stream().map((kind) -> details + '$' + kind)));
	}

	/** Return the names of the other types that are found by name. */
	static Stream<String> named() {
		return Stream.concat(Stream.of("Jedis", "RedisClient", "RedisClusterClient", "JedisCluster").map(JEDIS::concat),
				CUSTOMIZERS.stream().flatMap((type) -> PACKAGES.stream().map((name) -> name + type)));
	}

	/**
	 * Return the bundle of the connection details; {@code null} for the certificates that
	 * the JVM trusts.
	 */
	private @Nullable SslBundle bundle() {
		for (String name : DETAILS) {
			Class<?> type = present(name);
			Object details = (type != null) ? this.beanFactory.getBeanProvider(type).getIfAvailable() : null;
			if (type != null && details != null) {
				return bundle(type, details);
			}
		}
		return null;
	}

	private static @Nullable SslBundle bundle(Class<?> type, Object details) {
		if (ClassUtils.hasMethod(type, SSL_BUNDLE)) {
			return (SslBundle) ReflectionUtils.invokeMethod(ClassUtils.getMethod(type, SSL_BUNDLE), details);
		}
		for (String kind : KINDS) {
			Method servers = ClassUtils.getMethod(type, "get" + kind);
			Object found = ReflectionUtils.invokeMethod(servers, details);
			if (found != null) {
				return bundle(servers.getReturnType(), found);
			}
		}
		return null;
	}

	/** Return the protocols and ciphers of a bundle. */
	static SSLParameters parameters(SslOptions options) {
		SSLParameters parameters = new SSLParameters();
		if (options.getCiphers() != null) {
			parameters.setCipherSuites(options.getCiphers());
		}
		if (options.getEnabledProtocols() != null) {
			parameters.setProtocols(options.getEnabledProtocols());
		}
		return parameters;
	}

}
