package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.RedisPermission.Need;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Commands;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Takes every single permission away from a user who has no more than is documented.
 */
@Tag("newer-servers")
@ExtendWith(OutputCaptureExtension.class)
class PermissionProbeIntegrationTests {

	private static final RedisStoreSettings SETTINGS = RedisStoreSettings.DEFAULTS
		.withReplicaAcks(new ReplicaAcks(1, ReplicaAcks.NONE.timeout()));

	/** The name of a user, with the text of an error. */
	private static final String UNKNOWN = "unknown-command";

	private static RedisServer server;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	static Stream<Arguments> neededPermissions() {
		return Stream.of(DriverUnderTest.LETTUCE, DriverUnderTest.JEDIS)
			.flatMap((driver) -> Arrays.stream(RedisPermission.values())
				.filter((each) -> rules(driver).contains('+' + each.command()))
				.filter((each) -> each != RedisPermission.PING && each != RedisPermission.UNSUBSCRIBE)
				.map((each) -> Arguments.of(driver, each)));
	}

	/** Replicas confirm with Lettuce only. */
	private static String rules(DriverUnderTest driver) {
		return (driver == DriverUnderTest.LETTUCE) ? RedisPermission.rules("lock:", Need.REPLICA_ACKS)
				: RedisPermission.rules("lock:");
	}

	@ParameterizedTest
	@MethodSource("neededPermissions")
	void checkWhenOneCommandIsForbiddenNamesIt(DriverUnderTest driver, RedisPermission permission,
			CapturedOutput output) {
		allow("-" + permission.command());
		try (StoreUnderTest one = store(driver)) {
			String rule = "ACL SETUSER locks +" + permission.command();
			if (permission.isOptional()) {
				one.store.checkPermissions().join();
				waitInVain(one);
				Awaitility.await().until(() -> output.getOut().contains(rule));
				assertThat(output.getOut().lines().filter((line) -> line.contains(rule)))
					.allMatch((line) -> line.contains(" 127.0.0.1:" + server.port()));
			}
			else {
				assertThat(message(one.store.checkPermissions())).contains("'locks'", ":" + server.port())
					.endsWith(rule);
			}
		}
	}

	/**
	 * Redis 7.2 and Valkey name the user: the server seemed to lack all that was
	 * forbidden.
	 */
	@Test
	void checkWhenTheUserIsCalledUnknownNamesTheRule() {
		try (StoreUnderTest one = storeOf(UNKNOWN, "-hscan", "-zcount")) {
			assertThat(message(one.store.checkPermissions())).endsWith("ACL SETUSER " + UNKNOWN + " +hscan +zcount");
		}
		finally {
			server.ask("ACL", "DELUSER", UNKNOWN);
		}
	}

	/** The errors of other servers than the one that runs here. */
	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			NOPERM ACL failure in script: User unknown-command has no permissions to run the 'hscan' command,
			ERR ACL failure in script: User unknown-command has no permissions to run the 'hscan' command,
			NOPERM User unknown-command has no permissions to run the 'hscan' command,
			"NOPERM: unknown-command has no ACL permissions",
			ERR The user executing the script can't run this command or subcommand,
			ERR Unknown Redis command called from script,HSCAN
			"ERR unknown command 'hscan', with args beginning with: 'lock:%probe0'",HSCAN
			ERR Command is not available: 'HSCAN',HSCAN
			ERR no such slot: 'unknown:%probe0',
			""")
	void commandWhenRefusedIsUnknownOnlyByTheError(String error, String unknown) {
		String answering = "local redis = {pcall = function() return {err = ARGV[2]} end} "
				+ new String(LockScript.read("unknown.lua"), StandardCharsets.UTF_8).replace("ipairs(ARGV)",
						"ipairs({ARGV[1]})");
		RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		try {
			List<String> named = client.connect()
				.sync()
				.eval(answering, ScriptOutputType.MULTI, new String[] { "lock:%probe0" }, "HSCAN", error);
			assertThat(named).isEqualTo(Stream.ofNullable(unknown).toList());
		}
		finally {
			client.shutdown();
		}
	}

	/** Redis 7.2 and Valkey name the user: each key seemed to be another program's. */
	@Test
	void acquisitionWhenRefusedToAUserCalledWrongtypeNamesTheRule() {
		try (StoreUnderTest one = storeOf("WRONGTYPE", "-hmget")) {
			assertThat(message(one.acquire(StoreUnderTest.newKey(), one.request()))).contains("The Redis user needs");
			assertThat(message(one.store.checkPermissions())).endsWith("ACL SETUSER WRONGTYPE +hmget");
		}
		finally {
			server.ask("ACL", "DELUSER", "WRONGTYPE");
		}
	}

	/** Exclusive locks do without sorted sets: memory seemed to be used up. */
	@Test
	void gatheredAcquisitionsOfAUserCalledOomNeedNoSortedSets() {
		try (StoreUnderTest one = storeOf("OOM", "-zadd")) {
			one.acquire(StoreUnderTest.newKey(), one.request()).join();
			server.pause();
			List<CompletableFuture<AcquireOutcome>> all = Stream
				.generate(() -> GatheringContractTests.acquire(one, StoreUnderTest.newKey(),
						GatheringContractTests.request(one)))
				.limit(100)
				.toList();
			server.resume();
			assertThat(all).allSatisfy((each) -> assertThat(each.join()).isInstanceOf(Granted.class));
			assertThat(message(one.store.checkPermissions())).endsWith("ACL SETUSER OOM +zadd");
		}
		finally {
			server.ask("ACL", "DELUSER", "OOM");
		}
	}

	private static StoreUnderTest storeOf(String user, String... changes) {
		server.ask(Stream
			.of(Stream.of("ACL", "SETUSER", user, "reset", "resetchannels", "on", '>' + LeastPrivilege.PASSWORD),
					Arrays.stream(RedisPermission.rules("lock:").split(" ")), Arrays.stream(changes))
			.flatMap((part) -> part)
			.toArray(String[]::new));
		RedisStandaloneConfiguration at = LeastPrivilege.at(server);
		at.setUsername(user);
		return new StoreUnderTest(DriverUnderTest.LETTUCE.connect(at), StoreUnderTest.PATIENT);
	}

	/** The errors of real servers: 6.2, 7.0, 8.6 and Valkey 9.1. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					WRONGTYPE Operation against a key holding the wrong kind of value                              | true  | false
					-WRONGTYPE Operation against a key holding the wrong kind of value                             | true  | false
					OOM command not allowed when used memory > 'maxmemory'.                                        | false | true
					@user_script: 12: -OOM command not allowed when used memory > 'maxmemory'.                     | false | true
					ERR ACL failure in script: User OOM has no permissions to run the 'zadd' command               | false | false
					NOPERM User OOM has no permissions to run the 'zadd' command                                   | false | false
					ERR ACL failure in script: User WRONGTYPE has no permissions to run the 'hmget' command        | false | false
					NOPERM User locks has no permissions to access the 'lock:: OOM WRONGTYPE ' key                 | false | false
					@user_script: 12: The user executing the script can't access the OOM WRONGTYPE key             | false | false
					READONLY You can't write against a read only replica.                                          | false | false
					""")
	void codeOfAnErrorInAScriptIsAtItsBeginning(String error, boolean ofOtherType, boolean full) {
		assertThat(evaluated(error, script("foreign.lua") + "\nreturn isOfOtherType(redis.pcall()) and 1 or 0"))
			.isEqualTo(ofOtherType);
		assertThat(evaluated(error, script("gather.lua").replace("return answers", "return full and 1 or 0")))
			.isEqualTo(full);
	}

	/** The key is quoted by the errors of some servers, and may have any name. */
	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			ERR ACL failure in script: User u has no permissions to run the 'hscan' command,true
			@user_script: 12: The user executing the script can't run this command or subcommand,true
			NOPERM: u has no ACL permissions,true
			"ERR unknown command 'hscan', with args beginning with: 'NOPERM:%probe0'",false
			"LOADING 'The user executing the script can't' is not in memory",false
			"ERR no ACL failure in script: 'a'",false
			""")
	void probeCountsARefusalByTheBeginningOfTheError(String error, boolean refused) {
		assertThat(evaluated(error, script("probe.lua").replace("return refused", "return #refused > 0 and 1 or 0")))
			.isEqualTo(refused);
	}

	private static String script(String file) {
		return new String(LockScript.read(file), StandardCharsets.UTF_8);
	}

	/** Run a script, each of whose commands fails. It has a letter less than keys. */
	private static boolean evaluated(String error, String script) {
		String failing = "local said, ARGV = ARGV[1], {''} local redis = {pcall = function() return {err = said} end} ";
		RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		try {
			return client.connect()
				.sync()
				.<Long>eval(failing + script, ScriptOutputType.INTEGER, new String[] { "lock:%probe0" }, error) == 1;
		}
		finally {
			client.shutdown();
		}
	}

	/** An instance subscribes for its first waiter. */
	private static void waitInVain(StoreUnderTest one) {
		LockKey key = StoreUnderTest.newKey();
		// No replica confirms it, but the primary has it.
		one.acquire(key, one.request()).exceptionally((failure) -> null).join();
		one.waitFor(key, one.request()).join();
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenKeysAreForbiddenNamesThem(DriverUnderTest driver) {
		allow("resetkeys", "~other:*");
		try (StoreUnderTest one = store(driver)) {
			assertThat(message(one.store.checkPermissions())).endsWith("ACL SETUSER locks ~lock:*");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenChannelsAreForbiddenWarns(DriverUnderTest driver, CapturedOutput output) {
		allow("resetchannels");
		try (StoreUnderTest one = store(driver)) {
			one.store.checkPermissions().join();
			assertThat(output).containsOnlyOnce("ACL SETUSER locks &lock:*");
			waitInVain(one);
			Awaitility.await().until(() -> output.getOut().split("ACL SETUSER locks &lock:\\*", -1).length >= 3);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenAllIsAllowedIsQuietAndLeavesNothingBehind(DriverUnderTest driver, CapturedOutput output) {
		allow();
		server.ask("FLUSHALL");
		server.ask("ACL", "LOG", "RESET");
		try (StoreUnderTest one = store(driver)) {
			one.store.checkPermissions().join();
			assertThat(server.ask("DBSIZE")).isEqualTo(0L);
			assertThat(server.ask("ACL", "LOG").toString()).doesNotContain("lock:");
			assertThat(output).doesNotContain("ACL SETUSER");
		}
	}

	/** Each start named commands that the last one could not try, up to five times. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenNearlyNothingIsAllowedNamesAllThatIsNeeded(DriverUnderTest driver) {
		String all = rules(driver);
		allow("resetkeys", "resetchannels", "-@all", "+ping");
		try (StoreUnderTest one = store(driver)) {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> one.store.checkPermissions().join())
				.havingCause()
				.asInstanceOf(InstanceOfAssertFactories.type(MissingPermissionsException.class))
				.returns("ACL SETUSER locks " + all, MissingPermissionsException::getWholeRemedy)
				.extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
				.contains("All that they need is " + all + ". Allow it by:");
		}
	}

	@Test
	void checkWhenSeveralAreForbiddenNamesThemAll() {
		allow("-zadd", "-hdel", "-pexpire", "-time");
		try (StoreUnderTest one = store(DriverUnderTest.LETTUCE)) {
			assertThat(message(one.store.checkPermissions())).endsWith("ACL SETUSER locks +time +zadd +hdel +pexpire");
			assertThat(server.ask("DBSIZE")).isEqualTo(0L);
		}
	}

	/** Redis is there now, but was not when the application started. */
	@Test
	void acquireWhenTheCheckAtTheStartCouldNotBeMadeChecksFirst() {
		allow("-hdel");
		RedisServer late = RedisServers.start();
		RedisConnectionFactory factory = DriverUnderTest.LETTUCE.connect(LeastPrivilege.at(late));
		late.kill();
		try (StoreUnderTest one = new StoreUnderTest(factory, RedisStoreSettings.DEFAULTS)) {
			RedisLockStoreIntegrationTests.failure(one.store.checkPermissions(), Kind.UNAVAILABLE);
			late.start();
			LeastPrivilege.create(late, "-hdel");
			Awaitility.await()
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(RedisLockStoreIntegrationTests
					.failure(one.acquire(StoreUnderTest.newKey(), one.request()), Kind.MISCONFIGURED))
					.endsWith("ACL SETUSER locks +hdel"));
			assertThat(late.ask("KEYS", "lock:store:*")).isEqualTo(List.of());
			LeastPrivilege.create(late);
			assertThat(one.acquire(StoreUnderTest.newKey(), one.request()).join()).isInstanceOf(Granted.class);
		}
		late.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenACommandIsForbiddenOnOneMasterNamesTheMaster(DriverUnderTest driver) {
		RedisServer third = SharedTopology.CLUSTER.masters().get(2);
		RedisLockStore store = new RedisLockStore(SharedTopology.CLUSTER.factory(driver), RedisStoreSettings.DEFAULTS);
		store.checkPermissions().join();
		third.ask("ACL", "SETUSER", LeastPrivilege.USER, "-hscan");
		try {
			assertThat(message(store.checkPermissions())).contains(third.host() + ':' + third.port() + ": ")
				.endsWith("ACL SETUSER locks +hscan");
		}
		finally {
			third.ask("ACL", "SETUSER", LeastPrivilege.USER, "+hscan");
			SharedTopology.CLUSTER.masters().forEach((master) -> master.ask("ACL", "LOG", "RESET"));
			store.close();
		}
	}

	/** The connections for it log in at single nodes of the cluster. */
	@Test
	void checkWhenWaitIsForbiddenOnOneMasterNamesTheMaster() {
		RedisServer third = SharedTopology.CLUSTER.masters().get(2);
		RedisLockStore store = new RedisLockStore(SharedTopology.CLUSTER.factory(DriverUnderTest.LETTUCE), SETTINGS);
		third.ask("ACL", "SETUSER", LeastPrivilege.USER, "-wait");
		try {
			assertThat(message(store.checkPermissions())).contains(third.host() + ':' + third.port() + ": ")
				.endsWith("ACL SETUSER locks +wait");
		}
		finally {
			third.ask("ACL", "SETUSER", LeastPrivilege.USER, "+wait");
			SharedTopology.CLUSTER.masters().forEach((master) -> master.ask("ACL", "LOG", "RESET"));
			store.close();
		}
	}

	@Test
	void checkWhenANodeDoesNotTellWhenItStartedNamesTheCommand() {
		allow();
		RedisQuorumNode node = node(Duration.ofSeconds(30));
		assertThat(message(node.checkPermissions())).endsWith("ACL SETUSER locks +info");
		node.close();
	}

	/** Waiters were said to poll for want of it, where there are no locks at all. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void checkWhenTheDatabaseMayNotBeSelectedNamesOnlyThat(DriverUnderTest driver, CapturedOutput output) {
		allow();
		RedisStandaloneConfiguration elsewhere = LeastPrivilege.at(server);
		elsewhere.setDatabase(2);
		try (StoreUnderTest one = new StoreUnderTest(driver.connect(elsewhere), settings(driver))) {
			// Lettuce may close a connection before it says why: then the check opens
			// another.
			List<LockStoreException> failures = Stream.generate(() -> failure(one.store.checkPermissions()))
				.limit(5)
				.toList();
			assertThat(failures).allSatisfy((failure) -> {
				assertThat(failure.getKind()).isEqualTo(Kind.MISCONFIGURED);
				assertThat(failure).hasMessageEndingWith("ACL SETUSER locks +select");
			});
			assertThat(output).doesNotContain("waiters");
		}
	}

	/** Whatever takes a lock or a place in its line. */
	@Test
	void nodeOfAQuorumWhenSomethingIsMissingTakesNothing() {
		server.ask("FLUSHALL");
		allow("-hdel", "+info");
		RedisQuorumNode node = node(Duration.ZERO);
		String missing = "ACL SETUSER locks +hdel";
		assertThat(message(node.checkPermissions())).endsWith(missing);
		AcquireCommand command = new AcquireCommand(List.of(StoreUnderTest.newKey()), new RequestId(1, 1),
				LockMode.FAIR, 0, null, Duration.ofSeconds(30), Duration.ZERO, Duration.ofSeconds(3), 0, false);
		assertThat(message(node.acquire(command))).endsWith(missing);
		assertThat(message(node.acquire(Commands.retaking(command)))).endsWith(missing);
		assertThat(server.ask("KEYS", "lock:store:*")).isEqualTo(List.of());
		allow("+info");
		assertThat(node.acquire(Commands.retaking(command)).join()).isInstanceOf(Granted.class);
		node.close();
	}

	/** A build for 32 bits cut every deadline, and nothing excluded anything. */
	@Test
	void serverThatCutsNumbersIsTold() {
		String narrow = "local struct = {pack = function(format, value) return value % 2 ^ 32 end,"
				+ " unpack = function(format, value) return value end} ";
		String probe = narrow + new String(LockScript.read("probe.lua"), StandardCharsets.UTF_8);
		RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		try {
			assertThatThrownBy(() -> client.connect()
				.sync()
				.eval(probe, ScriptOutputType.MULTI, new String[] { "lock:%probe0" }, "lock:!probe"))
				.hasMessageStartingWith("LOCKNUMBERS");
		}
		finally {
			client.shutdown();
		}
	}

	private static RedisQuorumNode node(Duration restartDelay) {
		RedisNodeAddress address = new RedisNodeAddress(server.host(), server.port(), 0, LeastPrivilege.USER,
				LeastPrivilege.PASSWORD, null);
		return RedisQuorumNode.connect(List.of(address), RedisStoreSettings.DEFAULTS, restartDelay).get(0);
	}

	private static StoreUnderTest store(DriverUnderTest driver) {
		return new StoreUnderTest(driver.connect(LeastPrivilege.at(server)), settings(driver));
	}

	private static RedisStoreSettings settings(DriverUnderTest driver) {
		return (driver == DriverUnderTest.LETTUCE) ? SETTINGS : RedisStoreSettings.DEFAULTS;
	}

	private static void allow(String... changes) {
		LeastPrivilege.create(server, changes);
	}

	private static LockStoreException failure(CompletableFuture<?> check) {
		return (LockStoreException) catchThrowableOfType(CompletionException.class, check::join).getCause();
	}

	private static String message(CompletableFuture<?> check) {
		return RedisLockStoreIntegrationTests.failure(check, Kind.MISCONFIGURED);
	}

}
