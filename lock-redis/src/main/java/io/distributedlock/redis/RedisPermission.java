package io.distributedlock.redis;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A command that the Redis user of a store must be allowed to run. The only list of them:
 * messages, the documentation and the users of the tests come from here.
 */
enum RedisPermission {

	EVALSHA, EVAL, TIME, HMGET, HSET, HDEL, HSCAN, PEXPIRE, PTTL, EXISTS, RENAME, ZADD, ZREM, ZRANGE, ZCOUNT, ZSCORE,
	ZREMRANGEBYSCORE, ZUNIONSTORE,

	PUBLISH(Need.WAKE_UPS), SUBSCRIBE(Need.WAKE_UPS), UNSUBSCRIBE(Need.WAKE_UPS),

	/** For the drivers, which check that a connection lives. */
	PING,

	WAIT(Need.REPLICA_ACKS),

	/** In this order: for Lettuce and the self-check, for Lettuce, for Jedis. */
	CLUSTER_NODES(Need.CLUSTER), CLUSTER_MYID(Need.CLUSTER), CLUSTER_SLOTS(Need.CLUSTER),

	/** For keys in a slot that is being moved. */
	ASKING(Need.CLUSTER),

	/**
	 * For Redlock, which checks that a node has not come back empty; for Lettuce, which
	 * reads how busy the nodes of a cluster are.
	 */
	INFO(Need.CLUSTER, Need.REDLOCK);

	/**
	 * The thing that may not be used. A text may name it, and names the user before that.
	 */
	private static final Pattern USED = Pattern
		.compile("\\b(?:access|publish to) (?:the '.*' |[a-z ]*?)(key|channel)s?\\b");

	private static final Pattern NAMED = Pattern.compile("run the '([^' ]+)' command");

	/** The uses that need the command; empty if all do. */
	private final Set<Need> needs;

	RedisPermission(Need... needs) {
		this.needs = Set.of(needs);
	}

	/** Return the command as in a rule of an ACL, without the plus. */
	String command() {
		return name().toLowerCase(Locale.ROOT).replace('_', '|');
	}

	/** Return whether locks work without the command, while waiters poll. */
	boolean isOptional() {
		return this.needs.contains(Need.WAKE_UPS);
	}

	/** Return whether locks work without the rule, while waiters poll. */
	static boolean isOptional(String rule, String prefix) {
		return rule.equals(channels(prefix))
				|| Arrays.stream(values()).anyMatch((each) -> each.isOptional() && rule.equals('+' + each.command()));
	}

	/**
	 * Return the rule that is missing if the server refuses a command. The texts of
	 * servers differ.
	 * @param said the text of the server
	 * @param prefix the prefix of all keys and channels
	 * @return a rule of an ACL
	 */
	String rule(String said, String prefix) {
		String named = named(said);
		if (named != null) {
			return named;
		}
		Matcher used = USED.matcher(said);
		if (!used.find()) {
			return '+' + command();
		}
		return used.group(1).equals("key") ? keys(prefix) : channels(prefix);
	}

	/** Return the commands without which no script of a lock works. */
	static Set<RedisPermission> inScripts() {
		return EnumSet.range(TIME, ZUNIONSTORE);
	}

	/** Return the Redis command that gives missing rules to a user. */
	static String remedy(String user, List<String> rules) {
		return "ACL SETUSER %s %s".formatted(user, String.join(" ", rules));
	}

	/**
	 * Return the sentence that says how a user gets missing rules.
	 * @param changes {@code false} if the server has no command for changing users
	 */
	static String advice(String user, List<String> rules, boolean changes) {
		return changes ? "Allow it by: " + remedy(user, rules)
				: "Allow %s where this service manages its users".formatted(String.join(" ", rules));
	}

	/** Return the rule for the command that a refusal names, or {@code null}. */
	static @Nullable String named(String said) {
		Matcher named = NAMED.matcher(said);
		return named.find() ? '+' + named.group(1) : null;
	}

	static RedisPermission of(String command) {
		return valueOf(command.toUpperCase(Locale.ROOT).replace('|', '_'));
	}

	/**
	 * Return the rules for a user that has none yet.
	 * @param prefix the prefix of all keys and channels
	 * @param special the needs beyond those of every store
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

	/** Use of locks that needs a permission. */
	enum Need {

		WAKE_UPS, REPLICA_ACKS, CLUSTER, REDLOCK

	}

}
