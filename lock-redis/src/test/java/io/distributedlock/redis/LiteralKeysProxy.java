package io.distributedlock.redis;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.embedded.RedisServer;

/**
 * A proxy that reads a script before it runs it, as that of Alibaba Cloud: each command
 * has to be a literal, and its key one of {@code KEYS[1]}, {@code KEYS[2]} and so on.
 */
final class LiteralKeysProxy {

	private static final String BAD = "ERR bad lua script for redis cluster, ";

	static final String NO_KEY = BAD + "all the keys that the script uses should be passed using the KEYS array, "
			+ "and KEYS should not be in expression";

	static final String NO_COMMAND = BAD + "first parameter of redis.call/redis.pcall must be a single literal string";

	private static final Pattern CALL = Pattern.compile("\\.p?call\\(([^,)]+)(?:, *([^,)]+))?");

	private static final Pattern LITERAL = Pattern.compile("'[A-Z]+'");

	private static final Pattern KEY = Pattern.compile("KEYS\\[\\d+]");

	private static final Set<String> WITHOUT_KEY = Set.of("'TIME'", "'PUBLISH'", "'INFO'");

	private LiteralKeysProxy() {
	}

	static RefusingServer of(RedisServer server) {
		return new RefusingServer(server, (words) -> words.get(0).equals("EVAL") ? refusal(words.get(1)) : null);
	}

	/** The error for a script, or {@code null} if it is accepted. */
	static String refusal(String script) {
		Matcher call = CALL.matcher(script);
		while (call.find()) {
			if (!LITERAL.matcher(call.group(1)).matches()) {
				return NO_COMMAND;
			}
			if (!WITHOUT_KEY.contains(call.group(1)) && !KEY.matcher(String.valueOf(call.group(2))).matches()) {
				return NO_KEY;
			}
		}
		return null;
	}

}
