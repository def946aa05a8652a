package io.distributedlock.redis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A command that the Redis user of a store has to be allowed. The only place where they
 * are: messages, the documentation and the users of the tests come from here.
 */
enum RedisPermission {

	EVALSHA, EVAL, TIME, HMGET, HSET, HDEL, HSCAN, PEXPIRE, PTTL, EXISTS, RENAME, ZADD, ZREM, ZRANGE, ZCOUNT, ZSCORE,
	ZREMRANGEBYSCORE, ZUNIONSTORE,

	PUBLISH(Need.WAKE_UPS), SUBSCRIBE(Need.WAKE_UPS), UNSUBSCRIBE(Need.WAKE_UPS),

	/** The drivers look whether a connection lives. */
	PING,

	WAIT(Need.REPLICA_ACKS),

	/** For Lettuce and for the check at the start, then for Lettuce, then for Jedis. */
	CLUSTER_NODES(Need.CLUSTER), CLUSTER_MYID(Need.CLUSTER), CLUSTER_SLOTS(Need.CLUSTER),

	/** For keys in a slot that moves. */
	ASKING(Need.CLUSTER),

	/**
	 * Whether a node of Redlock has come back empty; and Lettuce looks how busy the nodes
	 * of a cluster are.
	 */
	INFO(Need.CLUSTER, Need.REDLOCK);

	private static final Pattern NAMED = Pattern.compile("run the '([^' ]+)' command");

	/** Nothing means that it is always needed. */
	private final Set<Need> needs;

	RedisPermission(Need... needs) {
		this.needs = Set.of(needs);
	}

	/** As in a rule of an ACL, without the plus. */
	String command() {
		return name().toLowerCase(Locale.ROOT).replace('_', '|');
	}

	/** Without it there are locks, but waiters poll. */
	boolean isOptional() {
		return this.needs.contains(Need.WAKE_UPS);
	}

	/** Whether there are locks without it, and waiters poll. */
	static boolean isOptional(String rule, String prefix) {
		return rule.equals(channels(prefix))
				|| Arrays.stream(values()).anyMatch((each) -> each.isOptional() && rule.equals('+' + each.command()));
	}

	/**
	 * The rule that is missing where the server refuses a command. The texts of servers
	 * differ.
	 * @param said what the server said
	 * @param prefix of all keys and channels
	 * @return a rule of an ACL
	 */
	String rule(String said, String prefix) {
		String named = named(said);
		if (named != null) {
			return named;
		}
		if (said.contains("channel")) {
			return channels(prefix);
		}
		return (said.contains("key") && !said.contains("run this command")) ? keys(prefix) : '+' + command();
	}

	/** The command that gives a user what is missing. */
	static String remedy(String user, List<String> rules) {
		return "ACL SETUSER %s %s".formatted(user, String.join(" ", rules));
	}

	/** The rule for the command that a refusal names, if it names one. */
	static @Nullable String named(String said) {
		Matcher named = NAMED.matcher(said);
		return named.find() ? '+' + named.group(1) : null;
	}

	static RedisPermission of(String command) {
		return valueOf(command.toUpperCase(Locale.ROOT).replace('|', '_'));
	}

	/**
	 * The rules for a user that may do nothing yet.
	 * @param prefix of all keys and channels
	 * @param special what is needed beside that what is always needed
	 * @return keys, channels and commands
	 */
	static String rules(String prefix, Need... special) {
		List<Need> wanted = List.of(special);
		Stream<String> commands = Arrays.stream(values())
			.filter((each) -> each.needs.isEmpty() || each.isOptional()
					|| each.needs.stream().anyMatch(wanted::contains))
			.map((each) -> '+' + each.command());
		return keys(prefix) + ' ' + channels(prefix) + ' ' + commands.collect(Collectors.joining(" "));
	}

	static String keys(String prefix) {
		return '~' + prefix + '*';
	}

	static String channels(String prefix) {
		return '&' + prefix + '*';
	}

	/** What a permission is needed for. */
	enum Need {

		WAKE_UPS, REPLICA_ACKS, CLUSTER, REDLOCK

	}

}
