package io.distributedlock.redis;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.embedded.RedisServer;

/**
 * How often a server has run each command since it was started, those in scripts
 * included.
 */
final class CommandCounts {

	private static final Pattern LINE = Pattern.compile("cmdstat_(\\S+?):calls=(\\d+)");

	private static final Pattern REJECTED = Pattern.compile("cmdstat_(\\S+?):\\S*rejected_calls=(\\d+)");

	private CommandCounts() {
	}

	/** All commands that were run, by name. */
	static Map<String, Long> of(RedisServer server) {
		return counts(server, LINE);
	}

	private static Map<String, Long> counts(RedisServer server, Pattern line) {
		return line.matcher(String.valueOf(server.ask("INFO", "commandstats")))
			.results()
			.collect(Collectors.toMap((found) -> found.group(1), (found) -> Long.valueOf(found.group(2))));
	}

	/** How often one command was run. */
	static long of(RedisServer server, String command) {
		return of(server).getOrDefault(command, 0L);
	}

	/** How often one command has come, those included that were not run. */
	static long sent(RedisServer server, String command) {
		return of(server, command) + counts(server, REJECTED).getOrDefault(command, 0L);
	}

}
