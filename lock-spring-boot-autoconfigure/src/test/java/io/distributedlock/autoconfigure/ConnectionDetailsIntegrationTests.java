package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.RedisLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.stubbing.Answer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Locks where a bean says where Redis is, as the service connections of Testcontainers
 * and Docker Compose do. The properties lead nowhere.
 */
class ConnectionDetailsIntegrationTests {

	private static final TestAuthority AUTHORITY = new TestAuthority("authority");

	private static RedisServer server;

	private static int tlsPort;

	@TempDir
	private static Path folder;

	@BeforeAll
	static void startServer() throws IOException {
		try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			tlsPort = free.getLocalPort();
		}
		TestAuthority.Identity identity = AUTHORITY.issue();
		server = RedisServers.start("--tls-port", Integer.toString(tlsPort), "--tls-cert-file",
				file("certificate", identity.certificate()), "--tls-key-file", file("key", identity.key()),
				"--tls-ca-cert-file", file("authority", AUTHORITY.certificate()), "--tls-auth-clients", "no", "--user",
				"locks", "on", ">secret", "~*", "&*", "+@all");
	}

	private static String file(String name, String content) throws IOException {
		return Files.writeString(folder.resolve(name), content).toString();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@ParameterizedTest
	@CsvSource({ "lettuce, application, false", "lettuce, application, true", "jedis, application, false",
			"jedis, application, true", "lettuce, jedis, false", "lettuce, jedis, true" })
	void locksAreWhereTheBeanSays(String client, String driver, boolean tls) {
		int port = tls ? tlsPort : server.port();
		Service.in(new ApplicationContextRunner(), BootTypes.REDIS_DETAILS, new Service(port, tls))
			.withConfiguration(AutoConfigurations.of(BootTypes.REDIS, DistributedLockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "spring.data.redis.username=none",
					"spring.data.redis.client-type=" + client, "distributed-lock.redis.driver=" + driver,
					"distributed-lock.redis.command-timeout=20s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(RedisLockStore.class).place()).isEqualTo("Redis at 127.0.0.1:" + port);
				try (Lease lease = context.getBean(LockRegistry.class).acquire(LockRequest.of("order"))) {
					assertThat(lease.isHeld()).isTrue();
					assertThat(
							server.ask("CLIENT", "LIST").toString().lines().filter((each) -> each.contains("cmd=eval")))
						.isNotEmpty()
						.allMatch((each) -> each.contains("user=locks") && each.contains("db=2"));
				}
			});
	}

	/**
	 * The details of a service. The certificates are of the service, and with Spring Boot
	 * 3 of its server.
	 */
	private record Service(int port, boolean tls) implements Answer<Object> {

		static <T> ApplicationContextRunner in(ApplicationContextRunner runner, Class<T> details, Service service) {
			return runner.withBean(details, () -> mock(details, service));
		}

		@Override
		public @Nullable Object answer(InvocationOnMock call) {
			return switch (call.getMethod().getName()) {
				case "getUsername" -> "locks";
				case "getPassword" -> "secret";
				case "getStandalone" -> mock(call.getMethod().getReturnType(), this);
				case "getHost" -> "127.0.0.1";
				case "getPort" -> this.port;
				case "getDatabase" -> 2;
				case "getSslBundle" -> this.tls ? bundle() : null;
				default -> null;
			};
		}

		private static SslBundle bundle() {
			return SslBundle
				.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate(AUTHORITY.certificate())));
		}

	}

}
