package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.InvalidDataAccessApiUsageException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RedisFailures}: the failures that are worth another try, and the others.
 */
class RedisFailuresTests {

	private static final RedisSetup SETUP = RedisSetup.ofApplication(RedisStoreSettings.DEFAULTS, false);

	@ParameterizedTest
	@ValueSource(strings = { "CLUSTERDOWN The cluster is down", "CLUSTERDOWN Hash slot not served",
			"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"LOADING Redis is loading the dataset in memory", "READONLY You can't write against a read only replica.",
			"NOREPLICAS Not enough good replicas to write.", "TRYAGAIN Multiple keys request during rehashing of slot",
			"MOVED 3999 127.0.0.1:6381", "OOM command not allowed when used memory > 'maxmemory'." })
	void answerOfAServerThatIsNotReadyIsWorthAnotherTry(String said) {
		assertThat(translated(said).getKind()).isEqualTo(Kind.UNAVAILABLE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM this user has no permissions",
			"The user executing the script can't run this command or subcommand script: 1, on @user_script:1.",
			"ERR ACL failure in script: User default has no permissions to run the 'hmget' command script: 1, on @user_script:1.",
			"WRONGTYPE Operation against a key", "LOCKFOREIGN 1 is a sorted set",
			"ERR user_script:30: bad argument #2 to 'unpack' (data string too short) script: 1, on @user_script:30.",
			"CROSSSLOT Keys in request don't hash to the same slot", "NOAUTH Authentication required.",
			"ERR DB index is out of range", "ERR unknown command 'EVALSHA', with args beginning with:",
			"LOCKKEYS The script got 1 keys for 2 locks" })
	void answerThatWaitingDoesNotCureIsReportedAtOnce(String said) {
		assertThat(translated(said).getKind()).isEqualTo(Kind.MISCONFIGURED);
	}

	/** As servers quote a command, a key or a user: each of them may be called so. */
	@ParameterizedTest
	@ValueSource(strings = { "LOADING Redis is loading '%s' in memory", "ERR no node for 'lock::%s' at present",
			"MASTERDOWN Link with %s is down", "OOM command '%s' not allowed" })
	void codeInsideAnErrorDoesNotCount(String said) {
		assertThat(Stream
			.of("NOPERM", "WRONGTYPE", "CROSSSLOT", "NOAUTH", "WRONGPASS", "LOCKVERSION", "LOCKKEYS", "LOCKFOREIGN",
					"ACL failure in script", "data string too short")
			.map(said::formatted))
			.allSatisfy((text) -> assertThat(translated(text).getKind()).as(text).isEqualTo(Kind.UNAVAILABLE));
	}

	/** The remedy was to delete the key, or to check the password. */
	@ParameterizedTest
	@ValueSource(strings = { "NOPERM User %s has no permissions to run the 'hmget' command",
			"NOPERM User a has no permissions to access the '%s' key",
			"ERR ACL failure in script: User %s has no permissions to run the 'hmget' command script: 1, on @user_script:1.",
			"ERR Error running script (call to f_1): @user_script:3: ERR ACL failure in script: User %s has no permissions" })
	void remedyOfARefusalIsARuleWhateverTheErrorQuotes(String said) {
		assertThat(Stream.of("WRONGTYPE", "LOCKVERSION", "LOCKKEYS", "CROSSSLOT", "AUTH", "NOAUTH", "READONLY", "OOM")
			.map(said::formatted))
			.allSatisfy((text) -> assertThat(translated(text)).as(text)
				.returns(Kind.MISCONFIGURED, LockStoreException::getKind)
				.hasMessageContaining(". The Redis user needs "));
	}

	/** Redis 6.2 says where it was, and the script may raise the error again. */
	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation", "-WRONGTYPE Operation", "ERR WRONGTYPE Operation",
			"@user_script: 12: -WRONGTYPE Operation",
			"ERR Error running script (call to f_1): @user_script:3: @user_script: 3: -WRONGTYPE Operation" })
	void codeCountsAfterThePlaceInTheScript(String said) {
		assertThat(translated(said)).hasMessageContaining("Another program uses this key");
	}

	/** A user of that name was told that a replica grants no locks. */
	@Test
	void userMayBeCalledLikeTheErrorOfAReplica() {
		assertThat(UnsuitableServerException.of(SETUP, "a:1", 0,
				failure("NOPERM User READONLY has no permissions to run the 'hmget' command")))
			.isNull();
	}

	/** A Sentinel may have forgotten the primary, and an answer may be garbled. */
	@ParameterizedTest
	@ValueSource(strings = { "ERR This instance has cluster support disabled",
			"ERR unknown command 'SENTINEL', with args beginning with:",
			"ERR unknown command `SENTINEL`, with args beginning with:", "Unknown reply: H",
			"Cannot provide redisAddress using sentinel for masterId shop",
			"Can connect to sentinel, but shop seems to be not monitored.",
			"Invalid first byte: 72 (H) at buffer index 1 decoding using null" })
	void serverOfAnotherKindIsAnOutageOnceRedisHasAnswered(String said) {
		LockStoreException before = RedisFailures.translate("release", "lock::a", SETUP, false, failure(said));
		assertThat(before.getKind()).isEqualTo(Kind.MISCONFIGURED);
		assertThat(translated(said)).returns(Kind.UNAVAILABLE, LockStoreException::getKind)
			.hasMessage(before.getMessage())
			.hasMessageContaining(". Set spring.data.redis.");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "Invalid first byte: 21 () at buffer index 0 decoding using RESP3", "Unknown reply: \u0015" })
	void alertOfTlsIsToldFromAnotherProtocol(String said) {
		assertThat(translated(said)).hasMessageContaining(". Set spring.data.redis.ssl.enabled=true");
	}

	/**
	 * Lettuce has the answers of the nodes of a cluster beside the causes. One answer of
	 * a server that took the address of a node used to make an outage of the others
	 * permanent.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "NOAUTH Authentication required.", "ERR This instance has cluster support disabled",
			"ERR unknown command 'CLUSTER'" })
	void suppressedAnswerCountsIfAllNodesGiveIt(String said) {
		RuntimeException failure = new IllegalStateException("Cannot retrieve cluster partitions");
		failure.addSuppressed(new IllegalStateException("Wrapped", new IllegalStateException(said)));
		assertThat(kindAtFirst(failure)).isEqualTo(Kind.MISCONFIGURED);
		failure.addSuppressed(new IllegalStateException("Connection refused"));
		assertThat(kindAtFirst(failure)).isEqualTo(Kind.UNAVAILABLE);
	}

	/** A lost answer hides the answers of the other nodes. */
	@ParameterizedTest
	@ValueSource(strings = { "Connection closed prematurely", "RedisHandshakeHandler not registered" })
	void handshakeWithAnyNodeOfAClusterMayBeBroken(String said) {
		RuntimeException failure = new IllegalStateException("Wrapped",
				new IllegalStateException("Cannot retrieve cluster partitions"));
		failure.getCause().addSuppressed(new IllegalStateException("WRONGPASS"));
		assertThat(RedisFailures.isBrokenHandshake(failure)).isFalse();
		failure.getCause().addSuppressed(new IllegalStateException("Wrapped", new IllegalStateException(said)));
		assertThat(RedisFailures.isBrokenHandshake(failure)).isTrue();
	}

	private static Kind kindAtFirst(Throwable failure) {
		return RedisFailures.translate("release", "lock::a", SETUP, false, failure).getKind();
	}

	/** The message used to blame the permissions of the user. */
	@Test
	void commandThatIsUnknownSaysWhatTheServerMayBe() {
		assertThat(translated("ERR unknown command 'PING', with args beginning with: 'x'"))
			.hasMessageEndingWith("'x'. This is no Redis data server (a Sentinel?), or the command was renamed");
	}

	/** A lock that is taken by one script and not renewed by another was an outage. */
	@ParameterizedTest
	@EnumSource
	void refusalOfAnyScriptSaysTheSame(LockScript script) {
		LockServer server = WireCommand.server(RedisStoreSettings.DEFAULTS);
		byte[][] keys = { "lock::a".getBytes(StandardCharsets.US_ASCII) };
		assertThat(server.translated(script, keys, 1, failure("ERR bad lua script for redis cluster, all the keys")))
			.returns(Kind.MISCONFIGURED, LockStoreException::getKind)
			.hasMessageStartingWith("Cannot " + script.operation + ' ')
			.hasMessageContaining("all the keys. Set script_check_enable=0");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ERR Unknown Redis command called from script script: 1, on @user_script:1.",
			"ERR Error running script (call to f_1): @user_script: 1: Unknown Redis command called from Lua script",
			"ERR Unknown command called from script script: 1, on @user_script:1." })
	void commandThatIsUnknownInAScriptIsNoOutage(String said) {
		assertThat(translated(said)).returns(Kind.MISCONFIGURED, LockStoreException::getKind)
			.hasMessageContaining("Use a server that has them");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			READONLY You can't write against a read only replica.     | MISCONFIGURED | UNAVAILABLE   | false
			MASTERDOWN Link with MASTER is down                       | MISCONFIGURED | UNAVAILABLE   | false
			MOVED 3999 127.0.0.1:6381                                 | MISCONFIGURED | MISCONFIGURED | false
			CLUSTERDOWN Hash slot not served                          | MISCONFIGURED |               | false
			ERR DB index is out of range                              | MISCONFIGURED | MISCONFIGURED | true
			ERR unknown command 'EVALSHA'                             | MISCONFIGURED | MISCONFIGURED | true
			ERR unknown command 'PING'                                | MISCONFIGURED | MISCONFIGURED | true
			ERR This instance has Lua scripting support disabled      | MISCONFIGURED | MISCONFIGURED | true
			LOCKCOMMANDS The server does not know HSCAN               | MISCONFIGURED | MISCONFIGURED | true
			LOCKUPTIME INFO does not say how long                     | MISCONFIGURED | MISCONFIGURED | true
			LOCKNUMBERS The server cuts numbers of 48 bits in scripts | MISCONFIGURED | MISCONFIGURED | true
			LOADING Redis is loading the dataset in memory            |               |               | false
			NOREPLICAS Not enough good replicas to write.             |               |               | false
			""")
	void serverThatKeepsNoLocksIsToldFromOneThatIsNotReady(String said, Kind ofNode, Kind ofApplication,
			boolean isWrongAnywhere) {
		RedisSetup node = RedisSetup.ofNode(RedisStoreSettings.DEFAULTS, nodes("redis://a").get(0));
		assertThat(kind(UnsuitableServerException.of(node, "", 0, failure(said)))).isEqualTo(ofNode);
		assertThat(kind(UnsuitableServerException.of(SETUP, "a:1", 0, failure(said)))).isEqualTo(ofApplication);
		assertThat(UnsuitableServerException.of(SETUP, "", 0, failure(said)) != null).as("Sentinel or cluster")
			.isEqualTo(isWrongAnywhere);
	}

	private static Kind kind(UnsuitableServerException exception) {
		return (exception != null) ? exception.getKind() : null;
	}

	private static Throwable failure(String said) {
		return new InvalidDataAccessApiUsageException("Error in execution", new IllegalStateException(said));
	}

	/** The properties of the application's own Redis were named for nodes as well. */
	@Test
	void loginThatIsRefusedNamesWhereItIsConfigured() {
		String said = "WRONGPASS invalid username-password pair or user is disabled.";
		assertThat(translated(said)).hasMessageEndingWith("disabled. Check spring.data.redis.username and password");
		NodeIdentity node = nodes("redis://a", "redis://u:secret@b/1").get(1);
		assertThat(translated(said, RedisSetup.ofNode(RedisStoreSettings.DEFAULTS, node))).hasMessageEndingWith(
				"disabled. Check user and password in distributed-lock.redlock.nodes[1], redis://b:6379/1");
	}

	@Test
	void refusalNamesAllThatIsNeededWhereItIs() {
		RedisStoreSettings acks = RedisStoreSettings.DEFAULTS.withReplicaAcks(new ReplicaAcks(1, Duration.ofMillis(1)));
		NodeIdentity node = nodes("redis://a").get(0);
		assertThat(translated("NOPERM no")).hasMessageEndingWith("+ping");
		assertThat(translated("NOPERM no", RedisSetup.ofApplication(acks, false))).hasMessageEndingWith("+ping +wait");
		assertThat(translated("NOPERM no", RedisSetup.ofApplication(RedisStoreSettings.DEFAULTS, true)))
			.hasMessageContaining("+cluster|nodes");
		assertThat(translated("NOPERM no", RedisSetup.ofNode(RedisStoreSettings.DEFAULTS, node)))
			.hasMessageEndingWith("+ping +info");
		assertThat(translated("NOPERM this user has no permissions to run the 'hdel' command"))
			.hasMessageEndingWith("+ping");
		assertThat(translated("NOPERM this user has no permissions to run the 'select' command"))
			.hasMessageEndingWith("+ping +select");
	}

	private static List<NodeIdentity> nodes(String... addresses) {
		return NodeIdentity.of(Stream.of(addresses).map(RedisNodeAddress::parse).toList(), Duration.ZERO,
				System::nanoTime);
	}

	private static LockStoreException translated(String said) {
		return translated(said, SETUP);
	}

	private static LockStoreException translated(String said, RedisSetup setup) {
		return RedisFailures.translate("release", "lock::a", setup, true, failure(said));
	}

	/** Separators and marks of direction were written as they are. */
	@Test
	void messageWhenKeyIsHostileIsOneShortLine() {
		LockKey key = new LockKey("", "a\u2028b\u202E\n" + "\u2028".repeat(60));
		assertThat(RedisFailures.otherKind("lock:" + key.encoded(), 3, 0).getMessage())
			.contains("'lock::a\\u2028b\\u202E%0A\\u2028")
			.doesNotContain("\u2028", "\u202E")
			.hasSizeLessThan(600);
	}

}
