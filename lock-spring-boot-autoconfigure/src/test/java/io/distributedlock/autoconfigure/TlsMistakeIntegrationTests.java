package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * Mistakes in TLS, which do not pass by waiting. They counted as an outage, so that a
 * method with {@code when-unavailable: proceed} ran without a lock each time.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class TlsMistakeIntegrationTests {

	private static final TestAuthority AUTHORITY = new TestAuthority("authority");

	private static final TestAuthority OTHER = new TestAuthority("other");

	@TempDir
	private Path folder;

	private int port;

	/** Jedis does not look at the name of the host unless it is told to. */
	static Stream<Arguments> mistakes() {
		return Stream.of("lettuce", "jedis")
			.flatMap((driver) -> Stream.of(Mistake.values())
				.filter((mistake) -> driver.equals("lettuce") || mistake != Mistake.WRONG_HOST)
				.map((mistake) -> Arguments.of(driver, mistake)));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void startWhenTlsIsWrongFailsAndSaysWhatToSet(String driver, Mistake mistake, CapturedOutput output)
			throws IOException {
		try (RedisServer server = start(mistake.server(), mistake.settings())) {
			assertThatException().isThrownBy(() -> application(driver, mistake.client()).close());
		}
		assertThat(output).contains("APPLICATION FAILED TO START", "Distributed locks cannot work with this Redis",
				"does not agree with this client on TLS", "spring.data.redis.ssl.bundle");
	}

	/** A server without TLS takes the handshake for a command and waits for its rest. */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startWhenTheServerHasNoTlsFailsAndSaysWhatToSet(String driver, CapturedOutput output) {
		try (RedisServer server = RedisServers.start("--requirepass", "s3cret")) {
			this.port = server.port();
			assertThatException().isThrownBy(() -> application(driver, trusting(AUTHORITY)).close());
		}
		assertThat(output).contains("APPLICATION FAILED TO START", "has no TLS at this port",
				"spring.data.redis.ssl.enabled=false");
	}

	/** A server with TLS closes the connection of a client that has none. */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startWhenOnlyTheServerHasTlsFailsAndSaysWhatToSet(String driver, CapturedOutput output) throws IOException {
		try (RedisServer server = start(AUTHORITY.issue(), List.of("--tls-auth-clients", "yes"))) {
			assertThatException().isThrownBy(() -> application(driver, List.of()).close());
		}
		assertThat(output).contains("APPLICATION FAILED TO START", "has TLS at this port, and this client uses none",
				"spring.data.redis.ssl.enabled=true");
	}

	/** An answer that a server sends before it is asked is no handshake. */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startWhenTheServerWithoutTlsIsFullFailsAndSaysWhatToSet(String driver, CapturedOutput output)
			throws IOException {
		try (RedisServer server = RedisServers.start("--maxclients", "1");
				Socket only = new Socket(server.host(), server.port())) {
			this.port = server.port();
			only.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(only.getInputStream().read()).isEqualTo('+');
			assertThatException().isThrownBy(() -> application(driver, trusting(AUTHORITY)).close());
		}
		assertThat(output).contains("APPLICATION FAILED TO START", "has no TLS at this port");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void lockWhenTheServerHasTlsOnlyLaterIsAnOutage(String driver) throws IOException {
		RedisServer server = RedisServers.start();
		this.port = server.port();
		try (ConfigurableApplicationContext context = application(driver, "3s", List.of())) {
			LockRegistry locks = context.getBean(LockRegistry.class);
			assertThat(failure(locks)).isNull();
			server.close();
			server = start(AUTHORITY.issue(), List.of("--tls-auth-clients", "no"));
			await().untilAsserted(() -> assertThat(failure(locks)).isEqualTo(Kind.UNAVAILABLE));
		}
		finally {
			server.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void lockWhenTheCertificateIsReplacedByAWrongOneIsAnOutage(String driver) throws IOException {
		RedisServer server = start(AUTHORITY.issue(), List.of("--tls-auth-clients", "no"));
		try (ConfigurableApplicationContext context = application(driver, "3s", trusting(AUTHORITY))) {
			LockRegistry locks = context.getBean(LockRegistry.class);
			assertThat(failure(locks)).isNull();
			server.close();
			server = start(OTHER.issue(), List.of("--tls-auth-clients", "no"));
			await().untilAsserted(() -> assertThat(failure(locks)).isEqualTo(Kind.UNAVAILABLE));
		}
		finally {
			server.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void lockWhenEverythingIsRightIsAcquired(String driver) throws IOException {
		try (RedisServer server = start(AUTHORITY.issue(), List.of("--tls-auth-clients", "yes"));
				ConfigurableApplicationContext context = application(driver, with(AUTHORITY, AUTHORITY.issue()))) {
			assertThat(failure(context.getBean(LockRegistry.class))).isNull();
		}
	}

	/** Why an acquisition fails, {@code null} if it does not. */
	private static Kind failure(LockRegistry locks) {
		try {
			locks.acquire(LockRequest.of("order").waitFor(Duration.ZERO)).close();
			return null;
		}
		catch (LockStoreException ex) {
			return ex.getKind();
		}
	}

	/** On the same port each time. */
	private RedisServer start(TestAuthority.Identity identity, List<String> settings) throws IOException {
		if (this.port == 0) {
			try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
				this.port = free.getLocalPort();
			}
		}
		List<String> all = new ArrayList<>(List.of("--tls-port", Integer.toString(this.port), "--tls-cert-file",
				file("certificate.pem", identity.certificate()), "--tls-key-file", file("key.pem", identity.key()),
				"--tls-ca-cert-file", file("authority.pem", AUTHORITY.certificate())));
		all.addAll(settings);
		return RedisServers.start(all.toArray(String[]::new));
	}

	private String file(String name, String content) throws IOException {
		return Files.writeString(this.folder.resolve(name), content).toString();
	}

	private static List<String> trusting(TestAuthority authority) {
		return List.of("--spring.data.redis.ssl.bundle=redis",
				"--spring.ssl.bundle.pem.redis.truststore.certificate=" + authority.certificate());
	}

	private static List<String> with(TestAuthority authority, TestAuthority.Identity own) {
		return Stream.concat(trusting(authority).stream(),
				Stream.of("--spring.ssl.bundle.pem.redis.keystore.certificate=" + own.certificate(),
						"--spring.ssl.bundle.pem.redis.keystore.private-key=" + own.key()))
			.toList();
	}

	private ConfigurableApplicationContext application(String driver, List<String> arguments) {
		return application(driver, "20s", arguments);
	}

	private ConfigurableApplicationContext application(String driver, String timeout, List<String> arguments) {
		List<String> all = new ArrayList<>(arguments);
		all.addAll(List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + this.port,
				"--spring.data.redis.client-type=" + driver, "--distributed-lock.redis.command-timeout=" + timeout));
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run(all.toArray(String[]::new));
	}

	/** A mistake in the setup of TLS. */
	enum Mistake {

		UNTRUSTED_AUTHORITY {

			@Override
			List<String> client() {
				return trusting(OTHER);
			}

		},

		MISSING_CLIENT_CERTIFICATE {

			@Override
			List<String> settings() {
				return List.of("--tls-auth-clients", "yes");
			}

		},

		MISSING_CLIENT_CERTIFICATE_TLS_1_2 {

			@Override
			List<String> settings() {
				return List.of("--tls-auth-clients", "yes", "--tls-protocols", "TLSv1.2");
			}

		},

		UNTRUSTED_CLIENT_CERTIFICATE {

			@Override
			List<String> settings() {
				return List.of("--tls-auth-clients", "yes", "--tls-protocols", "TLSv1.2");
			}

			@Override
			List<String> client() {
				return with(AUTHORITY, OTHER.issue());
			}

		},

		WRONG_HOST {

			@Override
			TestAuthority.Identity server() {
				return AUTHORITY.issueForHost("redis.example");
			}

		},

		EXPIRED {

			@Override
			TestAuthority.Identity server() {
				return AUTHORITY.issueExpired();
			}

		},

		OTHER_PROTOCOL {

			@Override
			List<String> settings() {
				return List.of("--tls-auth-clients", "no", "--tls-protocols", "TLSv1.3");
			}

			@Override
			List<String> client() {
				return Stream
					.concat(super.client().stream(),
							Stream.of("--spring.ssl.bundle.pem.redis.options.enabled-protocols=TLSv1.2"))
					.toList();
			}

		};

		TestAuthority.Identity server() {
			return AUTHORITY.issue();
		}

		List<String> settings() {
			return List.of("--tls-auth-clients", "no");
		}

		List<String> client() {
			return trusting(AUTHORITY);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportRedis
	@ImportAutoConfiguration({ SslAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Locks {

	}

}
