package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * What an application says of servers that answer, and will never keep a lock. It used to
 * say that they do not answer, and started.
 */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class UnsuitableServerIntegrationTests {

	private static final String DOWN = "redis://127.0.0.1:1";

	private static RedisSentinels sentinels;

	private static RedisCluster cluster;

	private static RedisServer primary;

	private static RedisServer replica;

	@BeforeAll
	static void startServers() {
		sentinels = RedisSentinels.start(1);
		sentinels.sentinels().forEach(UnsuitableServerIntegrationTests::replaceNobody);
		cluster = RedisCluster.start();
		primary = sentinels.master();
		replica = sentinels.replicas().get(0);
	}

	/** A primary that stands for a moment stays the primary. */
	private static void replaceNobody(RedisServer sentinel) {
		sentinel.ask("SENTINEL", "SET", RedisSentinels.MASTER_NAME, "down-after-milliseconds", "3600000");
	}

	@AfterAll
	static void stopServers() {
		cluster.close();
		sentinels.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "30s" })
	void startWhenANodeIsAReplicaSaysOfWhich(String restartDelay, CapturedOutput output) {
		assertThatException().isThrownBy(() -> quorum(restartDelay, address(primary), address(replica), DOWN));
		assertNames(output, 1, address(replica),
				"it is a replica of %s:%d, which grants no locks".formatted(primary.host(), primary.port()),
				"Name a server of its own");
	}

	@Test
	void startWhenANodeIsAReplicaThatTakesWritesFailsAsWell(CapturedOutput output) {
		replica.ask("CONFIG", "SET", "replica-read-only", "no");
		try {
			assertThatException().isThrownBy(() -> quorum("0", DOWN, address(replica), "redis://127.0.0.1:2"));
		}
		finally {
			replica.ask("CONFIG", "SET", "replica-read-only", "yes");
		}
		assertNames(output, 1, address(replica), "it is a replica of %s:%d".formatted(primary.host(), primary.port()));
	}

	@Test
	void startWhenTheNodesAreAClusterSaysSo(CapturedOutput output) {
		assertThatException().isThrownBy(
				() -> quorum("0", cluster.masters().stream().map((node) -> address(node)).toArray(String[]::new)));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[",
				"Reason: it is a node of a Redis Cluster, not an independent server",
				"Name a server that is in no cluster");
	}

	/** Lettuce now and then only says that the connection was closed. */
	@Test
	void startWhenANodeHasNoSuchDatabaseSaysSo(CapturedOutput output) {
		String node = address(primary) + "/99";
		await().atMost(Duration.ofSeconds(90))
			.untilAsserted(
					() -> assertThatException().isThrownBy(() -> quorum("0", DOWN, node, "redis://127.0.0.1:2")));
		assertNames(output, 1, node, "it has no database of this number", "Name a database that the server has");
	}

	@Test
	void startWhenANodeIsASentinelSaysThatItKeepsNoData(CapturedOutput output) {
		String node = address(sentinels.sentinels().get(0));
		assertThatException().isThrownBy(() -> quorum("0", DOWN, node, "redis://127.0.0.1:2"));
		assertNames(output, 1, node, "it is no Redis data server (a Sentinel?), or the command was renamed",
				"Name a Redis data server");
		assertThat(output).doesNotContain("Check the user and the password");
	}

	@Test
	void startWhenANodeDoesNotSpeakTlsSaysSoAndHowManyHaveToDo(CapturedOutput output) {
		start("0", "1s", "rediss" + address(primary).substring("redis".length()), DOWN, "redis://127.0.0.1:2");
		assertThat(output.toString().lines().filter((line) -> line.contains("checked before"))).hasSize(3)
			.allMatch((line) -> line.contains("WARN") && line.contains("until then 0 of 3 nodes have to do"))
			.anyMatch((line) -> line.contains(": no answer within 1s (TLS where the server has none?)"));
	}

	@Test
	void startWhenRedisIsAReplicaWarnsAndSaysWhatToSet(CapturedOutput output) {
		store(replica);
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).anyMatch((line) -> line.contains(
				"answered that it is a read-only replica: set spring.data.redis.host to the primary, or use spring.data.redis.sentinel.*"));
		assertThat(output).doesNotContain("does not answer");
	}

	@Test
	void startWhenRedisIsANodeOfAClusterFailsAndSaysWhatToSet(CapturedOutput output) {
		List<Throwable> failures = new ArrayList<>();
		for (RedisServer node : cluster.masters()) {
			try {
				store(node);
			}
			catch (RuntimeException ex) {
				failures.add(ex);
			}
		}
		assertThat(failures).as("none has the slots of all keys that are tried").hasSize(3);
		assertThat(output).contains("APPLICATION FAILED TO START", "is a node of a Redis Cluster",
				"spring.data.redis.cluster.nodes");
	}

	@Test
	void startWhenRedisHasAnotherErrorSaysThatItAnswered(CapturedOutput output) {
		primary.ask("CONFIG", "SET", "min-replicas-to-write", "7");
		try {
			store(primary);
		}
		finally {
			primary.ask("CONFIG", "SET", "min-replicas-to-write", "0");
		}
		assertThat(output).contains("answered with an error", "NOREPLICAS").doesNotContain("does not answer");
	}

	private static void assertNames(CapturedOutput output, int index, String value, String... texts) {
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[" + index + "]",
					"Value: \"" + value + "\"")
			.contains(texts);
	}

	private static String address(RedisServer server) {
		return "redis://%s:%d".formatted(server.host(), server.port());
	}

	private static void quorum(String restartDelay, String... nodes) {
		start(restartDelay, "20s", nodes);
	}

	private static void start(String restartDelay, String timeout, String... nodes) {
		run("--distributed-lock.redis.command-timeout=" + timeout, "--distributed-lock.store=redlock",
				"--distributed-lock.redlock.nodes=" + String.join(",", nodes),
				"--distributed-lock.redlock.restart-delay=" + restartDelay);
	}

	private static void store(RedisServer server) {
		run("--distributed-lock.redis.command-timeout=20s", "--spring.data.redis.host=" + server.host(),
				"--spring.data.redis.port=" + server.port());
	}

	private static void run(String... arguments) {
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.run(arguments).close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Locks {

	}

}
