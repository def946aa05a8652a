package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisLink;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * The messages of an application about the permissions of its Redis user when it starts.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockPermissionCheckIntegrationTests {

	private static RedisServer server;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private static SpringApplication application() {
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application;
	}

	private static String[] arguments(String user) {
		return new String[] { "--spring.data.redis.host=" + server.host(), "--spring.data.redis.port=" + server.port(),
				"--spring.data.redis.username=" + user, "--spring.data.redis.password=secret",
				"--distributed-lock.redis.command-timeout=20s" };
	}

	@Test
	void startWhenACommandIsForbiddenFailsAndNamesIt(CapturedOutput output) {
		server.ask("ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all", "-hdel", "-pexpire");
		assertThatException().isThrownBy(() -> application().run(arguments("poor")));
		assertThat(output).contains("APPLICATION FAILED TO START", "Distributed locks cannot work with this Redis",
				"Redis user 'poor'", "ACL SETUSER poor +hdel +pexpire", "all that the check has found missing",
				"All that locks need, at once:", "ACL SETUSER poor ~lock:* &lock:* +evalsha +eval +time");
	}

	@Test
	void startWhenThePasswordIsWrongFailsAndSaysSo(CapturedOutput output) {
		assertThatException().isThrownBy(() -> application().run(arguments("unknown")));
		assertThat(output).contains("APPLICATION FAILED TO START", "WRONGPASS", "spring.data.redis");
	}

	@Test
	void startWhenAllIsAllowedSucceeds(CapturedOutput output) {
		server.ask("ACL", "SETUSER", "rich", "on", ">secret", "~*", "&*", "+@all");
		try (ConfigurableApplicationContext context = application().run(arguments("rich"))) {
			context.getBean(LockRegistry.class).acquire(LockRequest.of("order")).close();
		}
		assertThat(output).containsOnlyOnce("Distributed locks of this process are held by instance ")
			.doesNotContain("ACL SETUSER", "checked before the first acquisition");
	}

	@Test
	void startWhenRedisIsDownSaysThatItIsCheckedLater(CapturedOutput output) {
		String[] arguments = arguments("rich");
		arguments[1] = "--spring.data.redis.port=1";
		application().run(arguments).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("does not answer"))).singleElement(STRING)
			.contains(" WARN ", "Redis at 127.0.0.1:1 does not answer (Connection refused",
					"Until it does, no lock is acquired", "checked before the first acquisition");
	}

	/** Nothing is known of its TLS. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void startWhenRedisDoesNotAnswerWarnsWithoutASuspicion(boolean tls, CapturedOutput output) throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			application()
				.run("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + silent.getLocalPort(),
						"--spring.data.redis.ssl.enabled=" + tls)
				.close();
			assertThat(output)
				.contains("Redis at 127.0.0.1:%d: no answer within 5s. ".formatted(silent.getLocalPort()));
		}
	}

	/** The log said that nothing is acquired, and never that this had changed. */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startWhenRedisIsAwayGivesTheAllClearLater(String client, CapturedOutput output) {
		try (RedisLink link = RedisLink.to(server.host(), server.port())) {
			link.cut();
			try (ConfigurableApplicationContext context = application().run("--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + link.port(), "--spring.data.redis.client-type=" + client)) {
				assertThat(output).contains("Until it does, no lock is acquired").doesNotContain("answers now");
				link.restore();
				context.getBean(LockRegistry.class).acquire(LockRequest.of("late")).close();
			}
			assertThat(output).containsOnlyOnce(
					"Redis at 127.0.0.1:%d answers now, and its user may do what distributed ".formatted(link.port())
							+ "locks need: locks are acquired");
		}
	}

	/**
	 * The first connection had the time of a command, which is a second, and Lettuce
	 * began it anew after 2 s. Jedis gives up after 2 s.
	 */
	@ParameterizedTest
	@CsvSource({ "lettuce, 2500", "jedis, 1100" })
	void startWhenTheFirstConnectionIsSlowWaitsForIt(String client, long millis, CapturedOutput output) {
		try (RedisLink slow = RedisLink.to(server.host(), server.port())) {
			CompletableFuture<Integer> connections = slow.answerLate(Duration.ofMillis(millis))
				.whenComplete((count, ex) -> slow.answerLate(Duration.ZERO));
			try (ConfigurableApplicationContext context = application().run("--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + slow.port(), "--spring.data.redis.client-type=" + client)) {
				assertThat(connections).isCompletedWithValue(1);
				context.getBean(LockRegistry.class).acquire(LockRequest.of("slow")).close();
			}
		}
		assertThat(output).doesNotContain("no answer", "checked before the first acquisition");
	}

	/**
	 * A process with hardly any processor time takes seconds to load the driver. It said
	 * that Redis does not answer, and its first locks failed.
	 */
	@Test
	void startWhenTheDriverIsSlowAndRedisAnswersWaitsForIt(CapturedOutput output) {
		SlowDriver.pings = pings();
		SpringApplication application = application();
		application.addPrimarySources(List.of(SlowDriver.class));
		application.run("--spring.data.redis.host=" + server.host(), "--spring.data.redis.port=" + server.port())
			.close();
		assertThat(output).doesNotContain("no answer", "checked before the first acquisition");
	}

	/** How often the server was asked whether it lives. */
	private static String pings() {
		Matcher calls = Pattern.compile("cmdstat_ping:calls=(\\d+)")
			.matcher(server.ask("INFO", "commandstats").toString());
		return calls.find() ? calls.group(1) : "0";
	}

	@Configuration(proxyBeanMethods = false)
	@ImportRedis
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Locks {

	}

	/** Connects only when the start has looked whether Redis answers. */
	@Configuration(proxyBeanMethods = false)
	static class SlowDriver {

		private static volatile String pings;

		@Bean(destroyMethod = "shutdown")
		ClientResources slowResolver() {
			return ClientResources.builder().socketAddressResolver(new SocketAddressResolver() {

				@Override
				public SocketAddress resolve(RedisURI server) {
					Patience.await().until(() -> !pings().equals(pings));
					return super.resolve(server);
				}

			}).build();
		}

	}

}
