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

	/** Runs scripts. */
	EVALSHA(Need.ALWAYS),

	/** Runs scripts that the server has forgotten. */
	EVAL(Need.ALWAYS),

	/** In scripts. */
	TIME(Need.ALWAYS),

	/** In scripts. */
	HMGET(Need.ALWAYS),

	/** In scripts. */
	HSET(Need.ALWAYS),

	/** In scripts. */
	HDEL(Need.ALWAYS),

	/** In scripts, which forget requests that have ended long ago. */
	HSCAN(Need.ALWAYS),

	/** In scripts. */
	PEXPIRE(Need.ALWAYS),

	/** In scripts. */
	PTTL(Need.ALWAYS),

	/** In scripts. */
	EXISTS(Need.ALWAYS),

	/** In scripts; readers that have waited are admitted. */
	RENAME(Need.ALWAYS),

	/** In scripts. */
	ZADD(Need.ALWAYS),

	/** In scripts. */
	ZREM(Need.ALWAYS),

	/** In scripts. */
	ZRANGE(Need.ALWAYS),

	/** In scripts. */
	ZCOUNT(Need.ALWAYS),

	/** In scripts. */
	ZSCORE(Need.ALWAYS),

	/** In scripts. */
	ZREMRANGEBYSCORE(Need.ALWAYS),

	/** In scripts; further readers are admitted. */
	ZUNIONSTORE(Need.ALWAYS),

	/** In scripts; without it waiters poll. */
	PUBLISH(Need.WAKE_UPS),

	/** Without it waiters poll. */
	SUBSCRIBE(Need.WAKE_UPS),

	/** Ends a subscription. */
	UNSUBSCRIBE(Need.WAKE_UPS),

	/** The drivers look whether a connection lives. */
	PING(Need.DRIVER),

	/** Where replicas have to confirm. */
	WAIT(Need.REPLICA_ACKS),

	/** Where the slots are, for Lettuce and for the check at the start. */
	CLUSTER_NODES(Need.CLUSTER),

	/** Which of the nodes answers, for Lettuce. */
	CLUSTER_MYID(Need.CLUSTER),

	/** Where the slots are, for Jedis. */
	CLUSTER_SLOTS(Need.CLUSTER),

	/** For keys in a slot that moves. */
	ASKING(Need.CLUSTER),

	/**
	 * Whether a node of Redlock has come back empty; and Lettuce looks how busy the nodes
	 * of a cluster are.
	 */
	INFO(Need.CLUSTER, Need.REDLOCK);

	private static final Pattern NAMED = Pattern.compile("run the '([^' ]+)' command");

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
		if (said.contains("run this command")) {
			return '+' + command();
		}
		if (said.contains("channel")) {
			return channels(prefix);
		}
		return said.contains("key") ? keys(prefix) : '+' + command();
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
			.filter((each) -> each.needs.stream().anyMatch((need) -> need.isUsual() || wanted.contains(need)))
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

		/** Locks. */
		ALWAYS,

		/** Wake-ups by subscription. */
		WAKE_UPS,

		/** Connections. */
		DRIVER,

		/** Acquisitions that replicas confirm. */
		REPLICA_ACKS,

		/** A cluster. */
		CLUSTER,

		/** Redlock. */
		REDLOCK;

		boolean isUsual() {
			return this == ALWAYS || this == WAKE_UPS || this == DRIVER;
		}

	}

}
