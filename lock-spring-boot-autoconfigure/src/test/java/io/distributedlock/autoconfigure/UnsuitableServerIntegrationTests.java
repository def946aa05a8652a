package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

import com.sun.net.httpserver.HttpServer;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.test.store.Patience;
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
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The message of an application on servers that answer, and will never keep a lock. It
 * used to say that they do not answer, and started.
 */
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
		sentinels.sentinels().forEach(UnsuitableServerIntegrationTests::disableFailover);
		cluster = RedisCluster.start();
		primary = sentinels.master();
		replica = sentinels.replicas().get(0);
	}

	/** A primary that stands for a moment stays the primary. */
	private static void disableFailover(RedisServer sentinel) {
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
		assertNames(output, 1, node, "it is no Redis data server (a Sentinel?), or knows no EVALSHA",
				"Name a Redis data server");
		assertThat(output).doesNotContain("Check the user and the password");
	}

	@Test
	void startWhenNodesAreDownSaysHowManyHaveToDo(CapturedOutput output) {
		start("0", "1s", address(primary), DOWN, "redis://127.0.0.1:2");
		assertThat(output.toString().lines().filter((line) -> line.contains("checked before"))).hasSize(2)
			.allMatch((line) -> line.contains("WARN")
					&& line.contains("until then there are 1 of 3 nodes, and a lock takes 2"));
	}

	@Test
	void startWhenANodeDoesNotSpeakTlsSaysSo(CapturedOutput output) {
		String node = address(primary).replace("redis:", "rediss:");
		assertThatException().isThrownBy(() -> quorum("0", DOWN, node, "redis://127.0.0.1:2"));
		assertNames(output, 1, node, "it has no TLS at this port", "or use redis:// instead of rediss://");
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
		// A start goes on where the answer takes longer than it waits for.
		cluster.masters()
			.forEach((node) -> Patience.await()
				.untilAsserted(() -> assertThatException().as("it has not the slots of all keys that are tried")
					.isThrownBy(() -> store(node))));
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

	/** Such an application started, and PROCEED ran its methods without a lock. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lettuce | cluster.nodes=$data                          | set spring.data.redis.host and port instead of spring.data.redis.cluster.nodes
					lettuce | cluster.nodes=$sentinel                      | is no Redis data server (a Sentinel?)
					lettuce | sentinel.nodes=$data,sentinel.master=locks   | set spring.data.redis.host and port instead of spring.data.redis.sentinel.*
					lettuce | sentinel.nodes=$sentinel,sentinel.master=loc | set spring.data.redis.sentinel.master to the name in the configuration of the Sentinels
					lettuce | url=redis://$sentinel                        | is no Redis data server (a Sentinel?)
					jedis   | url=redis://$sentinel                        | is no Redis data server (a Sentinel?)
					lettuce | url=redis://$http                            | does not speak the protocol of Redis
					jedis   | url=redis://$http                            | does not speak the protocol of Redis
					""")
	void startWhenTheServerIsOfAnotherKindFailsAndSaysWhatToSet(String driver, String properties, String remedy,
			CapturedOutput output) throws IOException {
		HttpServer http = http(0);
		String arguments = properties.replace("$data", hostAndPort(primary))
			.replace("$sentinel", hostAndPort(sentinels.sentinels().get(0)))
			.replace("$http", "127.0.0.1:" + http.getAddress().getPort());
		String all = "--distributed-lock.redis.command-timeout=20s," + arguments;
		try {
			assertStartFails(driver, all.replace(",", ",--spring.data.redis.").split(","));
		}
		finally {
			http.stop(0);
		}
		assertThat(output).contains("APPLICATION FAILED TO START", "Distributed locks cannot work with this Redis",
				remedy);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void lockWhenTheServerIsOfAnotherKindIsNotReportedAsAnOutage(String driver) throws IOException {
		HttpServer http = http(0);
		int port = http.getAddress().getPort();
		http.stop(0);
		try (ConfigurableApplicationContext context = application(driver, "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + port)) {
			LockRegistry locks = context.getBean(LockRegistry.class);
			LockRequest once = LockRequest.of("order").waitFor(Duration.ZERO);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(once))
				.returns(Kind.UNAVAILABLE, LockStoreException::getKind);
			http = http(port);
			await().untilAsserted(
					() -> assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(once))
						.returns(Kind.MISCONFIGURED, LockStoreException::getKind));
		}
		finally {
			http.stop(0);
		}
	}

	/**
	 * Lettuce asks only the first Sentinel that it reaches, and another may know more.
	 */
	@Test
	void startWhenOneSentinelKnowsNoSuchMasterWarns(CapturedOutput output) {
		RedisServer sentinel = sentinels.sentinels().get(0);
		try (ConfigurableApplicationContext context = application("lettuce", "--spring.data.redis.sentinel.master=shop",
				"--spring.data.redis.sentinel.nodes=" + hostAndPort(sentinel) + ",127.0.0.1:1",
				"--distributed-lock.redis.command-timeout=1s")) {
			assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).anyMatch((line) -> line
				.contains("set spring.data.redis.sentinel.master to the name in the configuration of the Sentinels"));
			LockRegistry locks = context.getBean(LockRegistry.class);
			// PROCEED does not run. An attempt that is slow is an outage all the same.
			await().until(() -> failure(locks) == Kind.MISCONFIGURED);
			watch(sentinel);
			await().until(() -> failure(locks) == null);
			sentinel.ask("SENTINEL", "REMOVE", "shop");
			RedisLockStore store = context.getBean(RedisLockStore.class);
			store.stop();
			store.start();
			assertThat(failure(locks)).as("PROCEED runs").isEqualTo(Kind.UNAVAILABLE);
			watch(sentinel);
			await().until(() -> failure(locks) == null);
		}
	}

	/** That of the data server was blamed. */
	@ParameterizedTest
	@CsvSource({ "1, --debug=false", "2, --spring.data.redis.sentinel.password=wr0ng" })
	void startWhenASentinelRefusesThePasswordNamesThatOfSentinel(int index, String password, CapturedOutput output) {
		RedisServer sentinel = sentinels.sentinels().get(index);
		sentinel.ask("ACL", "SETUSER", "locks", "on", ">s3cret", "+@all", "allchannels");
		sentinel.ask("ACL", "SETUSER", "default", "resetpass", ">s3cret");
		assertStartFails("lettuce", "--spring.data.redis.sentinel.master=locks",
				"--spring.data.redis.sentinel.nodes=" + hostAndPort(sentinel),
				"--distributed-lock.redis.command-timeout=20s", password);
		assertThat(output).contains("APPLICATION FAILED TO START",
				"The Sentinel says so: check spring.data.redis.sentinel.username and password");
	}

	private static void watch(RedisServer sentinel) {
		sentinel.ask("SENTINEL", "MONITOR", "shop", primary.host(), String.valueOf(primary.port()), "1");
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

	private static HttpServer http(int port) throws IOException {
		HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
		http.start();
		return http;
	}

	/** A start goes on where the answer takes longer than it waits for. */
	private static void assertStartFails(String driver, String... arguments) {
		Patience.await()
			.untilAsserted(() -> assertThatException().isThrownBy(() -> application(driver, arguments).close()));
	}

	private static void assertNames(CapturedOutput output, int index, String value, String... texts) {
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[" + index + "]",
					"Value: \"" + value + "\"")
			.contains(texts);
	}

	private static String address(RedisServer server) {
		return "redis://" + hostAndPort(server);
	}

	private static String hostAndPort(RedisServer server) {
		return server.host() + ':' + server.port();
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
		application("lettuce", arguments).close();
	}

	private static ConfigurableApplicationContext application(String driver, String... arguments) {
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run(StringUtils.addStringToArray(arguments, "--spring.data.redis.client-type=" + driver));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportRedis
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Locks {

	}

}
