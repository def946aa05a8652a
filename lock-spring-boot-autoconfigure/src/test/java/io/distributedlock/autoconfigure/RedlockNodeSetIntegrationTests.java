package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisLink;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.LeastPrivilege;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The messages of an application about the nodes of its quorum when it starts.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedlockNodeSetIntegrationTests {

	private static final String DOWN = "redis://127.0.0.1:1";

	private static RedisServer one;

	private static RedisServer other;

	@BeforeAll
	static void startServers() {
		one = RedisServers.start(LeastPrivilege.quorumSettings());
		other = RedisServers.start(LeastPrivilege.quorumSettings());
	}

	@AfterAll
	static void stopServers() {
		one.close();
		other.close();
	}

	@Test
	void startWhenThePasswordOfANodeIsWrongNamesTheNode(CapturedOutput output) {
		fail(address(one), "redis://locks:wr0ng@%s:%d".formatted(other.host(), other.port()), DOWN);
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[1]",
					"Value: \"redis://%s:%d\"".formatted(other.host(), other.port()),
					"Origin: \"distributed-lock.redlock.nodes\" from property source", "WRONGPASS",
					"Check user and password in distributed-lock.redlock.nodes[1], redis://%s:%d"
						.formatted(other.host(), other.port()))
			.doesNotContain("wr0ng", "spring.data.redis");
	}

	@Test
	void startWhenTheUserOfANodeLacksAPermissionNamesTheRule(CapturedOutput output) {
		other.ask("ACL", "SETUSER", "poor", "on", ">s3cret", "~*", "&*", "+@all", "-hdel");
		fail(address(one), "redis://poor:s3cret@%s:%d".formatted(other.host(), other.port()), DOWN);
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[1]",
					"Value: \"redis://%s:%d\"".formatted(other.host(), other.port()),
					"Allow it on this server: ACL SETUSER poor +hdel.")
			.doesNotContain("s3cret");
	}

	/** A server with two names had two votes. */
	@ParameterizedTest
	@ValueSource(strings = { "0", "30s" })
	void startWhenTwoNodesAreOneServerNamesBoth(String restartDelay, CapturedOutput output) {
		String[] nodes = { address(one), address("127.0.0.1", other), address("localhost", other) };
		assertThatException().isThrownBy(() -> run(restartDelay, nodes).close());
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[",
					"is the same server as redis://", "under another name, and would have two votes",
					"127.0.0.1:" + other.port(), "localhost:" + other.port())
			.doesNotContain(":secret@");
	}

	/** Both start, but do not count before they have been up for long. */
	@Test
	void startWhenTheNodesAreServersOfTheirOwnSucceeds(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run("1h", address(one), address(other), DOWN)) {
			LockRequest request = LockRequest.of("order");
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).acquire(request.waitFor(Duration.ZERO)))
				.withMessageContaining("does not count");
		}
		assertThat(output).contains(DOWN + " does not answer",
				"checked before it grants a lock; until then there are 2 of 3 nodes, and a lock takes 2");
	}

	/** The log said that a node grants nothing, and never that this had changed. */
	@Test
	void startWhenANodeIsAwayGivesTheAllClearLater(CapturedOutput output) {
		try (RedisLink link = RedisLink.to(other.host(), other.port())) {
			link.cut();
			String away = "redis://127.0.0.1:" + link.port();
			try (ConfigurableApplicationContext context = run("0", address(one), address(link), DOWN)) {
				assertThat(output).contains(away + " does not answer", "until then there are 1 of 3 nodes")
					.doesNotContain("answers now");
				link.restore();
				context.getBean(LockRegistry.class)
					.acquire(LockRequest.of("late").waitFor(Duration.ofSeconds(20)))
					.close();
			}
			assertThat(output).containsOnlyOnce(away + " answers now, and its user may do what distributed locks need: "
					+ "there are 2 of 3 nodes, and a lock takes 2");
		}
	}

	/** The first connection had the time of a command, and was begun anew. */
	@Test
	void startWhenFirstConnectionsAreSlowWaitsForThem(CapturedOutput output) {
		try (RedisLink first = RedisLink.to(one.host(), one.port());
				RedisLink second = RedisLink.to(other.host(), other.port())) {
			CompletableFuture<Integer> connections = slow(first).thenCombine(slow(second), Integer::sum);
			start("0", Duration.ofSeconds(1), address(first), address(second), DOWN).close();
			assertThat(connections).isCompletedWithValue(2);
		}
		assertThat(output).contains("until then there are 2 of 3 nodes");
	}

	private static CompletableFuture<Integer> slow(RedisLink link) {
		return link.answerLate(Duration.ofMillis(1500))
			.whenComplete((connections, ex) -> link.answerLate(Duration.ZERO));
	}

	private static String address(RedisLink link) {
		return "redis://%s:%s@127.0.0.1:%d".formatted(LeastPrivilege.USER, LeastPrivilege.PASSWORD, link.port());
	}

	private static String address(RedisServer server) {
		return address(server.host(), server);
	}

	private static String address(String host, RedisServer server) {
		return "redis://%s:%s@%s:%d".formatted(LeastPrivilege.USER, LeastPrivilege.PASSWORD, host, server.port());
	}

	private static void fail(String... nodes) {
		assertThatException().isThrownBy(() -> run("0", nodes).close());
	}

	private static ConfigurableApplicationContext run(String restartDelay, String... nodes) {
		return start(restartDelay, Duration.ofSeconds(20), nodes);
	}

	private static ConfigurableApplicationContext start(String restartDelay, Duration commandTimeout, String... nodes) {
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run("--distributed-lock.store=redlock",
				"--distributed-lock.redlock.nodes=" + String.join(",", nodes),
				"--distributed-lock.redlock.restart-delay=" + restartDelay,
				"--distributed-lock.redis.command-timeout=" + commandTimeout);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Locks {

	}

}
