package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Imitated servers that are not quite Redis: each refusal is named with its place and its
 * remedy, and nothing stays locked.
 */
class ManagedServerIntegrationTests {

	/** Commands that Aiven disables, as far as Redis can rename them. */
	private static final List<String> DISABLED = List.of("CLUSTER", "CONFIG", "ROLE", "COMMAND", "ACL", "DEBUG",
			"REPLICAOF", "SLAVEOF", "MONITOR", "SAVE", "BGSAVE", "LASTSAVE", "MIGRATE", "SHUTDOWN");

	private static RedisServer server;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void forgetKeysAndScripts() {
		server.ask("FLUSHALL");
		server.ask("SCRIPT", "FLUSH");
	}

	static Stream<Arguments> refusals() {
		return Arrays.stream(Refusal.values())
			.flatMap((refusal) -> Stream.of(DriverUnderTest.LETTUCE, DriverUnderTest.JEDIS)
				.map((driver) -> Arguments.of(refusal, driver)));
	}

	/** All of them were an outage, but for the unknown command. */
	@ParameterizedTest
	@MethodSource("refusals")
	void checkWhenScriptsAreRefusedSaysWhyWhereAndWhatToDo(Refusal refusal, DriverUnderTest driver) {
		try (RefusingServer door = RefusingServer.ofScripts(server, refusal.said);
				StoreUnderTest one = new StoreUnderTest(driver.connect(door.anonymous()), StoreUnderTest.PATIENT)) {
			String message = failure(one.store.checkPermissions());
			assertThat(message).startsWith("Redis at 127.0.0.1:" + door.port() + ' ' + refusal.problem)
				.contains(refusal.remedy, '(' + refusal.said)
				.doesNotContain("ACL SETUSER");
			assertThat(failure(one.acquire(StoreUnderTest.newKey(), one.request()))).isEqualTo(message);
			assertThat(server.ask("KEYS", "*")).isEqualTo(List.of());
		}
	}

	/** A registry that is made by hand need not check at the start. */
	@ParameterizedTest
	@MethodSource("refusals")
	void acquireWhenScriptsAreRefusedWithoutACheckSaysTheSame(Refusal refusal, DriverUnderTest driver) {
		try (RefusingServer door = RefusingServer.ofScripts(server, refusal.said);
				StoreUnderTest one = new StoreUnderTest(driver.connect(door.anonymous()), StoreUnderTest.PATIENT)) {
			LockKey key = StoreUnderTest.newKey();
			assertThat(failure(one.acquire(key, one.request())))
				.startsWith("Cannot acquire 'lock:store:" + key.key() + "' in Redis at 127.0.0.1:" + door.port() + ": "
						+ refusal.said)
				.containsIgnoringCase(refusal.remedy);
			assertThat(server.ask("KEYS", "*")).isEqualTo(List.of());
		}
	}

	@ParameterizedTest
	@EnumSource
	void nodeOfAQuorumThatRefusesScriptsIsNamedByItsProperty(Refusal refusal) {
		try (RefusingServer door = RefusingServer.ofScripts(server, refusal.said);
				RedisQuorumNode node = node(door.port(), Duration.ZERO)) {
			assertThat(failure(node.checkPermissions()))
				.startsWith(
						"distributed-lock.redlock.nodes[0], redis://127.0.0.1:" + door.port() + ' ' + refusal.problem)
				.contains(refusal.ofNode)
				.doesNotContain("spring.data.redis", "ACL SETUSER");
		}
	}

	private static RedisQuorumNode node(int port, Duration restartDelay) {
		RedisNodeAddress address = new RedisNodeAddress("127.0.0.1", port, 0, null, null, null);
		return RedisQuorumNode.connect(List.of(address), StoreUnderTest.PATIENT, restartDelay).get(0);
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenScriptCommandsAreRenamedSaysSo(DriverUnderTest driver) {
		try (RedisServer renamed = without(List.of("EVAL", "EVALSHA", "SCRIPT"));
				StoreUnderTest one = new StoreUnderTest(driver.connect(renamed), StoreUnderTest.PATIENT)) {
			assertThat(failure(one.store.checkPermissions())).startsWith("Redis at 127.0.0.1:" + renamed.port())
				.contains("knows no EVALSHA and EVAL", "neither renamed nor forbidden", "unknown command");
			assertThat(renamed.ask("DBSIZE")).isEqualTo(0L);
		}
	}

	/** The check had passed, and each lock was an outage. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenCommandsInScriptsAreUnknownNamesThem(DriverUnderTest driver) {
		try (RedisServer renamed = without(List.of("HSCAN", "ZUNIONSTORE"));
				StoreUnderTest one = new StoreUnderTest(driver.connect(renamed), StoreUnderTest.PATIENT)) {
			assertThat(failure(one.store.checkPermissions())).startsWith("Redis at 127.0.0.1:" + renamed.port())
				.contains("lacks commands in scripts", "rename-command",
						"LOCKCOMMANDS 127.0.0.1:" + renamed.port() + " does not know HSCAN, ZUNIONSTORE");
			assertThat(renamed.ask("DBSIZE")).isEqualTo(0L);
		}
	}

	/** The first script of the check needs it, too. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenACommandOfEveryScriptIsUnknownNamesIt(DriverUnderTest driver) {
		try (RedisServer renamed = without(List.of("HMGET"));
				StoreUnderTest one = new StoreUnderTest(driver.connect(renamed), StoreUnderTest.PATIENT)) {
			assertThat(failure(one.store.checkPermissions())).contains(" does not know HMGET");
		}
	}

	private static RedisServer without(List<String> commands, String... settings) {
		Stream<String> renamed = commands.stream().flatMap((command) -> Stream.of("--rename-command", command, ""));
		return RedisServers.start(Stream.concat(renamed, Stream.of(settings)).toArray(String[]::new));
	}

	/** An administrator of such a service has a console. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenThereIsNoAclCommandAdvisesNone(DriverUnderTest driver) {
		String[] poor = { "--user", "locks", "on", ">secret", "~*", "&*", "+@all", "-hscan" };
		try (RedisServer managed = without(List.of("ACL"), poor);
				StoreUnderTest one = new StoreUnderTest(driver.connect(LeastPrivilege.at(managed)),
						StoreUnderTest.PATIENT)) {
			assertThat(failure(one.store.checkPermissions()))
				.contains("The Redis user 'locks' may not", "hscan",
						"Allow +hscan where this service manages its users")
				.doesNotContain("ACL SETUSER");
		}
	}

	/** Memorystore refuses each command that is not on its list. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenAclIsRefusedToTheDefaultUserAdvisesNone(DriverUnderTest driver) {
		try (RedisServer managed = RedisServers.start()) {
			managed.ask("ACL", "SETUSER", "default", "-acl", "-evalsha", "-eval");
			try (StoreUnderTest one = new StoreUnderTest(driver.connect(managed), StoreUnderTest.PATIENT)) {
				assertThat(failure(one.store.checkPermissions()))
					.contains("The Redis user 'default' may not",
							"Allow +evalsha +eval where this service manages its users", "no locks can be kept")
					.doesNotContain("ACL SETUSER");
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void serverWithoutAdministrationKeepsLocksAndIsHealthy(DriverUnderTest driver) throws InterruptedException {
		try (RedisServer managed = without(DISABLED)) {
			RedisConnectionFactory factory = driver.connect(managed);
			assertKeepsLocks(factory);
			DriverUnderTest.close(factory);
		}
	}

	/** Also that the server is healthy, and wakes a waiter of another store. */
	private static void assertKeepsLocks(RedisConnectionFactory factory) throws InterruptedException {
		try (RedisLockStore here = new RedisLockStore(factory, StoreUnderTest.PATIENT);
				RedisLockStore there = new RedisLockStore(factory, StoreUnderTest.PATIENT)) {
			StoreUnderTest one = StoreUnderTest.of(here);
			StoreUnderTest two = StoreUnderTest.of(there);
			assertThat(here.checkPermissions()).succeedsWithin(Patience.CEILING);
			await().until(() -> here.monitor().nodes().join().stream().allMatch((node) -> node.failure() == null));
			LockKey key = StoreUnderTest.newKey();
			RequestId first = one.request();
			RequestId second = two.request();
			assertThat(one.acquire(key, first).join()).isInstanceOf(Granted.class);
			assertThat(two.waitFor(key, second).join()).isInstanceOf(Busy.class);
			await().until(() -> two.wokenAll.get() > 0);
			assertThat(one.release(key, first).join()).isEqualTo(Ownership.HELD);
			assertThat(two.awaitWakeUp()).isEqualTo(key.encoded());
			assertThat(two.acquire(key, second).join()).isInstanceOf(Granted.class);
		}
	}

	/** Its eviction policy is not known then. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void serverWithoutInfoIsHealthy(DriverUnderTest driver) {
		try (RedisServer managed = without(List.of("INFO"));
				StoreUnderTest one = new StoreUnderTest(driver.connect(managed), StoreUnderTest.PATIENT)) {
			assertThat(one.store.checkPermissions()).succeedsWithin(Patience.CEILING);
			assertThat(one.store.monitor().nodes().join()).singleElement().satisfies((node) -> {
				assertThat(node.failure()).isNull();
				assertThat(node.evictionPolicy()).isEmpty();
				assertThat(node.mayEvict()).isFalse();
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "# Memory\\r\\n", "# Memory\\r\\nused_memory:1\\r\\n" })
	void policyWhenFieldsOfInfoAreMissingIsUnknown(String info) {
		String withoutFields = """
				local real = redis
				local redis = {call = real.call, pcall = function(name, ...)
				  return name == 'INFO' and '%s' or real.pcall(name, ...)
				end}
				""".formatted(info);
		RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		try {
			List<?> answer = client.connect()
				.sync()
				.eval(withoutFields + source(LockScript.HEALTH), ScriptOutputType.MULTI,
						new String[] { "lock:%health" }, "1");
			assertThat(answer).hasSize(3).last().isEqualTo("");
		}
		finally {
			client.shutdown();
		}
	}

	/** As with ElastiCache Serverless, where one node has all slots. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void clusterOfOneNodeServesAClientForClusters(DriverUnderTest driver) throws InterruptedException {
		try (RedisCluster cluster = RedisCluster.startOneNode(LeastPrivilege.clusterSettings())) {
			RedisConnectionFactory factory = TopologyDrivers.cluster(driver, cluster.nodes());
			assertKeepsLocks(factory);
			DriverUnderTest.close(factory);
		}
	}

	/** It said that the command was renamed. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void clientForClustersWhereThereIsNoClusterCommandSaysSo(DriverUnderTest driver) {
		try (RedisServer managed = without(List.of("CLUSTER"))) {
			RedisConnectionFactory factory = clusterClient(driver, managed);
			RedisLockStore store = new RedisLockStore(factory, StoreUnderTest.PATIENT);
			assertThat(failure(store.checkPermissions())).contains(":" + managed.port(), "has no CLUSTER command",
					"set spring.data.redis.host and port", "instead of spring.data.redis.cluster.nodes");
			assertThat(managed.ask("DBSIZE")).isEqualTo(0L);
			store.close();
			DriverUnderTest.close(factory);
		}
	}

	/** Jedis connects when the store begins, not here. */
	private static RedisConnectionFactory clusterClient(DriverUnderTest driver, RedisServer node) {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of(node.host() + ':' + node.port()));
		if (driver == DriverUnderTest.JEDIS) {
			return new JedisConnectionFactory(cluster);
		}
		LettuceConnectionFactory factory = new LettuceConnectionFactory(cluster);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/** Each script but these four has a key or a command in a variable. */
	@Test
	void scriptsThatAProxyForLiteralKeysAcceptsAreFew() {
		assertThat(LockScript.values()).filteredOn((script) -> LiteralKeysProxy.refusal(source(script)) == null)
			.containsExactly(LockScript.LOCK, LockScript.UNLOCK, LockScript.NAME, LockScript.HEALTH);
	}

	private static String source(LockScript script) {
		return new String(script.script.source, StandardCharsets.UTF_8);
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void proxyForLiteralKeysIsRefusedAtTheStart(DriverUnderTest driver) {
		try (RefusingServer proxy = LiteralKeysProxy.of(server);
				StoreUnderTest one = new StoreUnderTest(driver.connect(proxy.anonymous()), StoreUnderTest.PATIENT)) {
			assertThat(failure(one.store.checkPermissions())).startsWith("Redis at 127.0.0.1:" + proxy.port())
				.contains("is a proxy that refuses scripts", "set script_check_enable=0", LiteralKeysProxy.NO_KEY);
			assertThat(server.ask("KEYS", "*")).isEqualTo(List.of());
		}
	}

	/** Such a lock was acquired by a script with literal keys, and not renewed. */
	@ParameterizedTest
	@EnumSource
	void commandWhenAProxyRefusesItsScriptSaysWhatToDo(Operation operation) {
		try (RefusingServer proxy = LiteralKeysProxy.of(server);
				StoreUnderTest one = new StoreUnderTest(DriverUnderTest.LETTUCE.connect(proxy.anonymous()),
						StoreUnderTest.PATIENT)) {
			LockKey key = StoreUnderTest.newKey();
			RequestId request = alone(one.request());
			assertThat(one.acquire(key, request).join()).isInstanceOf(Granted.class);
			assertThat(failure(operation.command.apply(new Target(one.store, key, request))))
				.contains("Set script_check_enable=0 for that instance", "bad lua script for redis cluster");
			assertThat(one.release(key, request).join()).isEqualTo(Ownership.HELD);
			assertThat(one.acquire(key, alone(one.request())).join()).as("nothing stays locked")
				.isInstanceOf(Granted.class);
		}
	}

	/** The only request of its place, which is for the short scripts. */
	private static RequestId alone(RequestId request) {
		return RequestId.of(request.instanceBits(), 0, request.number(), 0);
	}

	private static String failure(CompletableFuture<?> command) {
		return RedisLockStoreIntegrationTests.failure(command, Kind.MISCONFIGURED);
	}

	/** Texts of servers for each script. */
	enum Refusal {

		GARNET("ERR This instance has Lua scripting support disabled", "runs no Lua scripts",
				"switch Lua on there (Garnet: --lua", "Switch Lua on there (Garnet: --lua"),

		VALKEY_WITHOUT_LUA("ERR Could not find scripting engine 'lua'", "runs no Lua scripts",
				"Valkey: its module for Lua", "name a server that runs scripts"),

		ALIBABA_OLD("ERR command eval not support for normal user", "runs no Lua scripts",
				"use a server that runs scripts", "name a server that runs scripts"),

		UNKNOWN("ERR unknown command 'EVALSHA', with args beginning with: 'x'",
				"is no Redis data server (a Sentinel?), or knows no EVALSHA and EVAL",
				"name a Redis data server where they are neither renamed nor forbidden", "Name a Redis data server"),

		ENVOY("ERR unsupported command 'evalsha'",
				"is no Redis data server (a Sentinel?), or knows no EVALSHA and EVAL", "neither renamed nor forbidden",
				"Name a Redis data server"),

		UPSTASH("ERR Command is not available: 'EVALSHA'. See its documentation",
				"is no Redis data server (a Sentinel?), or knows no EVALSHA and EVAL", "neither renamed nor forbidden",
				"Name a Redis data server"),

		ALIBABA(LiteralKeysProxy.NO_KEY, "is a proxy that refuses scripts", "set script_check_enable=0",
				"Set script_check_enable=0"),

		ALIBABA_COMMAND(LiteralKeysProxy.NO_COMMAND, "is a proxy that refuses scripts",
				"use its direct connection by spring.data.redis.cluster.nodes", "name a server without the proxy"),

		DRAGONFLY(
				"ERR Error running script (call to 5c4d): @user_script:2: script tried accessing undeclared key, key: k",
				"refuses a key of a script", "start it with --default_lua_flags=allow-undeclared-keys (Dragonfly)",
				"Start it with --default_lua_flags=allow-undeclared-keys"),

		WITHOUT_STRUCT(
				"ERR user_script:9: Script attempted to access nonexistent global variable 'struct' script: 1, on @user_script:9.",
				"lacks a part of Lua", "use a server with the Lua of Redis", "Name a server with the Lua of Redis"),

		WITHOUT_STRUCT_5_1("ERR Error running script: user_script:9: attempt to index global 'struct' (a nil value)",
				"lacks a part of Lua", "use a server with the Lua of Redis", "Name a server with the Lua of Redis"),

		WITHOUT_STRUCT_5_4("ERR Lua encountered an error: attempt to index a nil value (global 'struct')",
				"lacks a part of Lua", "use a server with the Lua of Redis", "Name a server with the Lua of Redis");

		private final String said;

		private final String problem;

		private final String remedy;

		private final String ofNode;

		Refusal(String said, String problem, String remedy, String ofNode) {
			this.said = said;
			this.problem = problem;
			this.remedy = remedy;
			this.ofNode = ofNode;
		}

	}

	/** Commands that no script with literal keys serves. */
	enum Operation {

		RENEW((at) -> at.store.renew(List.of(new RenewCommand(at.key, at.request, StoreUnderTest.TTL))).get(0)),

		EXTEND((at) -> at.store.extend(new ExtendCommand(List.of(at.key), at.request, StoreUnderTest.TTL, null,
				RenewalMarks.NONE.with(1, 0)))),

		ABANDON((at) -> at.store.abandon(new AbandonCommand(at.key, at.request))),

		SEVERAL_KEYS((at) -> at.store.acquire(new AcquireCommand(List.of(at.key, StoreUnderTest.newKey()), at.request,
				LockMode.EXCLUSIVE, 0, null, StoreUnderTest.TTL, Duration.ZERO, Duration.ZERO, 0, false))),

		INSPECT((at) -> at.store.monitor().inspect(at.key)),

		FORCE((at) -> at.store.monitor().forceRelease(new ForceReleaseCommand(at.key, null)));

		private final Function<Target, CompletableFuture<?>> command;

		Operation(Function<Target, CompletableFuture<?>> command) {
			this.command = command;
		}

	}

	/** A lock that a request holds. */
	private record Target(RedisLockStore store, LockKey key, RequestId request) {
	}

}
