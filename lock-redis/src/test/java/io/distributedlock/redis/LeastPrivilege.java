package io.distributedlock.redis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.redis.RedisPermission.Need;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A user of a server with the permissions that the documentation names, and no others.
 */
public final class LeastPrivilege {

	public static final String USER = "locks";

	public static final String PASSWORD = "secret";

	/** Prefixes that tests set for {@code lock:}, so that each has locks of its own. */
	private static final List<String> PREFIXES = List.of("lettuce", "jedis", "block-hound", "three", "five", "leaks");

	private static final String PREFIX = RedisStoreSettings.DEFAULTS.keyPrefix();

	private LeastPrivilege() {
	}

	/** Arguments with which a server knows the user after each start. */
	static String[] serverSettings() {
		return settings(Need.REPLICA_ACKS);
	}

	public static String[] clusterSettings() {
		return settings(Need.REPLICA_ACKS, Need.CLUSTER);
	}

	/** Arguments for a node of a quorum. */
	public static String[] quorumSettings() {
		return settings(Need.REDLOCK);
	}

	private static String[] settings(Need... special) {
		Stream<String> user = Stream.concat(Stream.of("--user", USER), rules(special));
		return Stream.concat(user, otherPrefixes()).toArray(String[]::new);
	}

	static Stream<String> otherPrefixes() {
		return PREFIXES.stream()
			.flatMap((prefix) -> Stream.of(RedisPermission.keys(prefix), RedisPermission.channels(prefix)));
	}

	/** Create the user, or set it back. */
	static void create(RedisServer server, String... changes) {
		Stream<String> command = Stream.concat(Stream.of("ACL", "SETUSER", USER, "reset"), rules(Need.REPLICA_ACKS));
		assertThat(server.ask(Stream.concat(command, Arrays.stream(changes)).toArray(String[]::new))).isEqualTo("OK");
	}

	private static Stream<String> rules(Need... special) {
		return Stream.concat(Stream.of("resetchannels", "on", '>' + PASSWORD),
				Arrays.stream(RedisPermission.rules(PREFIX, special).split(" ")));
	}

	static RedisConnectionFactory connect(DriverUnderTest driver, RedisServer server) {
		create(server);
		return driver.connect(at(server));
	}

	static RedisStandaloneConfiguration at(RedisServer server) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.host(), server.port());
		configuration.setUsername(USER);
		configuration.setPassword(PASSWORD);
		return configuration;
	}

	/**
	 * Commands that a script was refused show nowhere else. Drivers introduce themselves
	 * by commands whose refusal they do not mind.
	 */
	public static void assertNothingWasRefused(RedisServer server) {
		List<?> log = (List<?>) server.ask("ACL", "LOG", "1000");
		assertThat(log).map(Object::toString)
			.map((entry) -> entry.toLowerCase(Locale.ROOT))
			.filteredOn((entry) -> entry.contains("username, " + USER) && !entry.contains("object, client"))
			.isEmpty();
	}

}
