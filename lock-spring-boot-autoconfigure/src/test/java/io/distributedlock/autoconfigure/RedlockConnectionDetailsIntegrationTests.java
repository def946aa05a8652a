package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.RedlockConnectionDetails.Node;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The nodes of a quorum where a bundle has their certificates, or a bean says where they
 * are. The servers ask for the certificate of the client, and know one protocol and one
 * cipher.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedlockConnectionDetailsIntegrationTests {

	private static final TestAuthority AUTHORITY = new TestAuthority("authority");

	private static final TestAuthority OTHER = new TestAuthority("other");

	private static final TestAuthority.Identity CLIENT = AUTHORITY.issue();

	private static final List<RedisServer> SERVERS = new ArrayList<>();

	private static final List<Integer> TLS_PORTS = new ArrayList<>();

	@TempDir
	private static Path folder;

	@BeforeAll
	static void startServers() throws IOException {
		for (int i = 0; i < 3; i++) {
			try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
				TLS_PORTS.add(free.getLocalPort());
			}
			TestAuthority.Identity identity = AUTHORITY.issue();
			SERVERS.add(RedisServers.start("--tls-port", TLS_PORTS.get(i).toString(), "--tls-cert-file",
					file("certificate" + i, identity.certificate()), "--tls-key-file", file("key" + i, identity.key()),
					"--tls-ca-cert-file", file("authority" + i, AUTHORITY.certificate()), "--tls-auth-clients", "yes",
					"--tls-protocols", "TLSv1.2", "--tls-ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384", "--user", "locks",
					"on", ">secret", "~*", "&*", "+@all"));
		}
	}

	private static String file(String name, String content) throws IOException {
		return Files.writeString(folder.resolve(name), content).toString();
	}

	@AfterAll
	static void stopServers() {
		SERVERS.forEach(RedisServer::close);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			trusted |
			trusted | options.enabled-protocols=TLSv1.2
			trusted | options.ciphers=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
			""")
	void lockWhenTheBundleIsRightIsAcquired(String bundle, String option) {
		try (ConfigurableApplicationContext context = run(Locks.class, arguments(bundle, option))) {
			assertLocks(context);
			assertNodesKnow("user=locks");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			other    |
			nameless |
			trusted  | options.enabled-protocols=TLSv1.3
			trusted  | options.ciphers=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
			""")
	void startWhenTheBundleIsWrongNamesNodeAndBundle(String bundle, String option, CapturedOutput output) {
		// A start goes on where the answer takes longer than it waits for.
		Patience.await()
			.untilAsserted(
					() -> assertThatException().isThrownBy(() -> run(Locks.class, arguments(bundle, option)).close()));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[",
				"does not agree with this client on TLS",
				"Check the certificates of the SSL bundle (distributed-lock.redlock.ssl.bundle;");
	}

	@Test
	void lockWhenABeanSaysTheNodesIsOnThem() {
		try (ConfigurableApplicationContext context = run(Details.class, bundles())) {
			assertLocks(context);
			assertNodesKnow("user=locks");
			assertNodesKnow("db=2");
		}
	}

	@Test
	void startWhenABeanSaysAWrongPasswordNamesIt(CapturedOutput output) {
		Patience.await()
			.untilAsserted(() -> assertThatException().isThrownBy(() -> run(WrongPassword.class, bundles()).close()));
		assertThat(output)
			.contains("APPLICATION FAILED TO START",
					"Property: distributed-lock.redlock.nodes[0] (RedlockConnectionDetails)", "Origin: unknown")
			.doesNotContain("wr0ng");
	}

	private static void assertLocks(ConfigurableApplicationContext context) {
		LockRequest request = LockRequest.of("order").waitFor(Duration.ofSeconds(20));
		context.getBean(LockRegistry.class).acquire(request).close();
	}

	/** A connection with scripts is that of a lock. */
	private static void assertNodesKnow(String text) {
		assertThat(SERVERS).allSatisfy((server) -> assertThat(
				server.ask("CLIENT", "LIST").toString().lines().filter((each) -> each.contains("cmd=eval")))
			.isNotEmpty()
			.allMatch((each) -> each.contains(text)));
	}

	private static List<String> arguments(String bundle, String option) {
		List<String> all = new ArrayList<>(bundles());
		all.add("--distributed-lock.redlock.ssl.bundle=" + bundle);
		TLS_PORTS.forEach((port) -> all.add("--distributed-lock.redlock.nodes[%d]=rediss://locks:secret@127.0.0.1:%d"
			.formatted(TLS_PORTS.indexOf(port), port)));
		if (option != null) {
			all.add("--spring.ssl.bundle.pem.%s.%s".formatted(bundle, option));
		}
		return all;
	}

	/** The right one, one that trusts another authority, one without the client's own. */
	private static List<String> bundles() {
		List<String> all = new ArrayList<>();
		for (String bundle : List.of("trusted", "other", "nameless")) {
			String prefix = "--spring.ssl.bundle.pem." + bundle;
			all.add(prefix + ".truststore.certificate=" + (bundle.equals("other") ? OTHER : AUTHORITY).certificate());
			if (!bundle.equals("nameless")) {
				all.add(prefix + ".keystore.certificate=" + CLIENT.certificate());
				all.add(prefix + ".keystore.private-key=" + CLIENT.key());
			}
		}
		return all;
	}

	private static ConfigurableApplicationContext run(Class<?> source, List<String> arguments) {
		SpringApplication application = new SpringApplication(source);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run(Stream
			.concat(arguments.stream(), Stream.of("--distributed-lock.store=redlock",
					"--distributed-lock.redlock.restart-delay=0", "--distributed-lock.redis.command-timeout=20s"))
			.toArray(String[]::new));
	}

	/** An application that uses Jedis, for another server. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ SslAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Locks {

		@Bean
		RedisConnectionFactory application() {
			return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ SslAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Details {

		@Bean
		RedlockConnectionDetails nodes(SslBundles bundles) {
			return () -> nodes("secret", bundles.getBundle("trusted"));
		}

		/** The first has no TLS. */
		static List<Node> nodes(String password, SslBundle bundle) {
			return IntStream.range(0, 3)
				.mapToObj((i) -> new Node("127.0.0.1", (i == 0) ? SERVERS.get(i).port() : TLS_PORTS.get(i), "locks",
						password, 2, (i == 0) ? null : bundle))
				.toList();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ SslAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class WrongPassword {

		@Bean
		RedlockConnectionDetails nodes(SslBundles bundles) {
			return () -> Details.nodes("wr0ng", bundles.getBundle("trusted"));
		}

	}

}
