package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Mistakes in TLS and in the password of Sentinel, where Redis is several servers or is
 * found by others.
 */
@ExtendWith(OutputCaptureExtension.class)
class TlsTopologyIntegrationTests {

	private static final TestAuthority AUTHORITY = new TestAuthority("authority");

	private static final TestAuthority OTHER = new TestAuthority("other");

	/** By the names under which the tests know them. */
	private static final Map<String, Integer> PORTS = new HashMap<>();

	private static final List<AutoCloseable> SERVERS = new ArrayList<>();

	@TempDir
	private static Path folder;

	@BeforeAll
	static void startServers() throws IOException {
		RedisServer data = started(RedisServers.start(arguments(tls("$node", AUTHORITY))));
		PORTS.put("$plainNode", data.port());
		started(RedisServers.start(arguments(tls("$other", OTHER))));
		Map<String, String> settings = tls("$sentinel", AUTHORITY);
		settings.put("tls-replication", "yes");
		settings.put("sentinel monitor locks 127.0.0.1", PORTS.get("$node") + " 1");
		settings.put("sentinel monitor other 127.0.0.1", PORTS.get("$other") + " 1");
		PORTS.put("$plainSentinel", started(RedisServers.startSentinel(lines(settings))).port());
		PORTS.put("$closedSentinel", started(RedisServers.startSentinel("requirepass s3cret",
				"sentinel monitor locks 127.0.0.1 %d 1".formatted(data.port())))
			.port());
		settings = tls("$cluster", AUTHORITY);
		settings.put("tls-cluster", "yes");
		// A node that is alone does not know its address, and Jedis has none to compare.
		settings.put("cluster-announce-ip", "127.0.0.1");
		RedisCluster cluster = RedisCluster.startOneNode(arguments(settings));
		SERVERS.add(cluster);
		PORTS.put("$plainCluster", cluster.nodes().get(0).port());
	}

	private static RedisServer started(RedisServer server) {
		SERVERS.add(server);
		return server;
	}

	/** The settings of a server with another port, which is for TLS. */
	private static Map<String, String> tls(String name, TestAuthority authority) throws IOException {
		try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			PORTS.put(name, free.getLocalPort());
		}
		TestAuthority.Identity identity = authority.issue();
		Map<String, String> settings = new LinkedHashMap<>();
		settings.put("tls-port", PORTS.get(name).toString());
		settings.put("tls-cert-file", file(name + ".certificate", identity.certificate()));
		settings.put("tls-key-file", file(name + ".key", identity.key()));
		settings.put("tls-ca-cert-file", file(name + ".authority", authority.certificate()));
		settings.put("tls-auth-clients", "no");
		return settings;
	}

	private static String file(String name, String content) throws IOException {
		return Files.writeString(folder.resolve(name.substring(1)), content).toString();
	}

	private static String[] arguments(Map<String, String> settings) {
		return settings.entrySet()
			.stream()
			.flatMap((each) -> Stream.of("--" + each.getKey(), each.getValue()))
			.toArray(String[]::new);
	}

	private static String[] lines(Map<String, String> settings) {
		return settings.entrySet().stream().map((each) -> each.getKey() + ' ' + each.getValue()).toArray(String[]::new);
	}

	@AfterAll
	static void stopServers() throws Exception {
		for (AutoCloseable each : SERVERS) {
			each.close();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lettuce | AUTHORITY | spring.data.redis.sentinel.nodes=$sentinel,spring.data.redis.sentinel.master=locks
					jedis   | AUTHORITY | spring.data.redis.sentinel.nodes=$sentinel,spring.data.redis.sentinel.master=locks
					lettuce | AUTHORITY | spring.data.redis.cluster.nodes=$cluster
					jedis   | AUTHORITY | spring.data.redis.cluster.nodes=$cluster
					lettuce | AUTHORITY | spring.data.redis.url=rediss://$node,distributed-lock.redis.driver=jedis
					lettuce | AUTHORITY | spring.data.redis.sentinel.nodes=$sentinel,spring.data.redis.sentinel.master=locks,distributed-lock.redis.driver=jedis
					lettuce | AUTHORITY | spring.data.redis.cluster.nodes=$cluster,distributed-lock.redis.driver=jedis
					""")
	void lockWhenTlsIsRightIsAcquired(String driver, String trusted, String properties) {
		try (ConfigurableApplicationContext context = application(driver, trusted, properties)) {
			LockRequest request = LockRequest.of("order").waitFor(Duration.ZERO);
			assertThatNoException().isThrownBy(() -> context.getBean(LockRegistry.class).acquire(request).close());
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lettuce | OTHER     | sentinel.nodes=$sentinel,sentinel.master=locks       | does not agree with this client on TLS
					jedis   | OTHER     | sentinel.nodes=$sentinel,sentinel.master=locks       | does not agree with this client on TLS
					lettuce | AUTHORITY | sentinel.nodes=$sentinel,sentinel.master=other       | does not agree with this client on TLS
					jedis   | AUTHORITY | sentinel.nodes=$sentinel,sentinel.master=other       | does not agree with this client on TLS
					lettuce | OTHER     | cluster.nodes=$cluster,+driver                       | does not agree with this client on TLS
					lettuce |           | sentinel.nodes=$sentinel,sentinel.master=locks       | has TLS at this port, and this client uses none
					jedis   |           | sentinel.nodes=$sentinel,sentinel.master=locks       | has TLS at this port, and this client uses none
					lettuce | AUTHORITY | sentinel.nodes=$plainSentinel,sentinel.master=locks  | has no TLS at this port
					jedis   | AUTHORITY | sentinel.nodes=$plainSentinel,sentinel.master=locks  | has no TLS at this port
					jedis   |           | sentinel.nodes=$closedSentinel,sentinel.master=locks | The Sentinel says so: check spring.data.redis.sentinel.username and password
					jedis   |           | sentinel.nodes=$closedSentinel,sentinel.master=locks,sentinel.password=wrong | The Sentinel says so: check spring.data.redis.sentinel.username and password
					jedis   |           | sentinel.nodes=$plainSentinel,sentinel.master=none   | watches no master of this name
					jedis   |           | sentinel.nodes=$plainNode,sentinel.master=locks      | the server at that address is no Sentinel
					lettuce | OTHER     | cluster.nodes=$cluster      | does not agree with this client on TLS
					jedis   | OTHER     | cluster.nodes=$cluster      | does not agree with this client on TLS
					lettuce |           | cluster.nodes=$cluster      | has TLS at this port, and this client uses none
					jedis   |           | cluster.nodes=$cluster      | has TLS at this port, and this client uses none
					lettuce | AUTHORITY | cluster.nodes=$plainCluster | has no TLS at this port
					jedis   | AUTHORITY | cluster.nodes=$plainCluster | has no TLS at this port
					""")
	void startWhenTlsOrPasswordIsWrongFailsAndSaysSo(String driver, String trusted, String properties, String problem,
			CapturedOutput output) {
		String all = "spring.data.redis." + properties.replace(",", ",spring.data.redis.")
			.replace("spring.data.redis.+driver", "distributed-lock.redis.driver=jedis");
		// A start goes on where the answer takes longer than it waits for.
		Patience.await()
			.untilAsserted(() -> assertThatException().isThrownBy(() -> application(driver, trusted, all).close()));
		assertThat(output).contains("APPLICATION FAILED TO START", problem);
	}

	/** The JVM does not trust the authority. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			rediss://$node      | does not agree with this client on TLS
			redis://$node       | has TLS at this port, and this client uses none
			rediss://$plainNode | has no TLS at this port
			""")
	void startWhenTlsOfARedlockNodeIsWrongNamesTheNode(String node, String problem, CapturedOutput output) {
		assertThatException().isThrownBy(() -> application("lettuce", null,
				"distributed-lock.store=redlock,distributed-lock.redlock.nodes[0]=redis://127.0.0.1:1,distributed-lock.redlock.nodes[1]="
						+ node + ",distributed-lock.redlock.nodes[2]=redis://127.0.0.1:2")
			.close());
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[1]",
				"it " + problem);
	}

	private static ConfigurableApplicationContext application(String driver, String trusted, String properties) {
		List<String> all = new ArrayList<>();
		for (String property : properties.split(",")) {
			String port = property.replaceFirst(".*(\\$\\w*)|.*", "$1");
			all.add("--" + (port.isEmpty() ? property : property.replace(port, "127.0.0.1:" + PORTS.get(port))));
		}
		if (trusted != null) {
			all.add("--spring.data.redis.ssl.bundle=redis");
			all.add("--spring.ssl.bundle.pem.redis.truststore.certificate="
					+ (trusted.equals("OTHER") ? OTHER : AUTHORITY).certificate());
		}
		all.add("--spring.data.redis.client-type=" + driver);
		all.add("--distributed-lock.redis.command-timeout=20s");
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run(all.toArray(String[]::new));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportRedis
	@ImportAutoConfiguration({ SslAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Locks {

		/** Else the factory of Jedis ends the start, without a reason. */
		@Bean
		static BeanPostProcessor lateStart() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessBeforeInitialization(Object bean, String name) {
					if (bean instanceof JedisConnectionFactory factory) {
						factory.setEarlyStartup(false);
					}
					return bean;
				}

			};
		}

	}

}
