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

	private CommandCounts() {
	}

	/** All commands that were run, by name. */
	static Map<String, Long> of(RedisServer server) {
		return LINE.matcher(String.valueOf(server.ask("INFO", "commandstats")))
			.results()
			.collect(Collectors.toMap((line) -> line.group(1), (line) -> Long.valueOf(line.group(2))));
	}

	/** How often one command was run. */
	static long of(RedisServer server, String command) {
		return of(server).getOrDefault(command, 0L);
	}

}
