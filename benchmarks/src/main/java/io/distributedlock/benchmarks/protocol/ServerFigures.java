package io.distributedlock.benchmarks.protocol;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.embedded.RedisServer;

/**
 * What a server tells of its work. Its own commands do not count.
 */
public final class ServerFigures {

	private static final Pattern COMMAND = Pattern.compile("cmdstat_([^:]+):calls=(\\d+),usec=(\\d+)");

	private static final Pattern MEMORY = Pattern.compile("used_memory:(\\d+)");

	private static final Pattern BYTES = Pattern.compile("total_net_(?:in|out)put_bytes:(\\d+)");

	private static final Set<String> OWN = Set.of("info", "config|set", "config", "slowlog|get", "slowlog|reset",
			"slowlog", "flushall");

	private static final Pattern SCRIPT = Pattern.compile("(eval|fcall).*");

	private final RedisServer server;

	/**
	 * Ask a server.
	 * @param server that runs
	 */
	public ServerFigures(RedisServer server) {
		this.server = server;
	}

	/**
	 * How many commands were executed, inside of scripts and outside.
	 * @return the number
	 */
	public long commands() {
		return commands((name) -> !OWN.contains(name), 2);
	}

	/**
	 * How many scripts were executed.
	 * @return the number
	 */
	public long scripts() {
		return commands(ServerFigures::isScript, 2);
	}

	/** How long scripts were executed in all, in microseconds. */
	long scriptMicros() {
		return commands(ServerFigures::isScript, 3);
	}

	private long commands(Predicate<String> counted, int figure) {
		return COMMAND.matcher(info("commandstats"))
			.results()
			.filter((command) -> counted.test(command.group(1)))
			.mapToLong((command) -> Long.parseLong(command.group(figure)))
			.sum();
	}

	private static boolean isScript(String command) {
		return SCRIPT.matcher(command).matches();
	}

	/**
	 * The processor time of the thread that executes commands, or of the whole server
	 * where it is older than Redis 7 and does not tell.
	 * @return microseconds
	 */
	public double cpuMicros() {
		String text = info("cpu");
		String thread = text.contains("_main_thread") ? "_main_thread" : "";
		return Pattern.compile("used_cpu_(?:sys|user)" + thread + ":([\\d.]+)")
			.matcher(text)
			.results()
			.map(MatchResult::group)
			.mapToDouble((figure) -> Double.parseDouble(figure.substring(figure.indexOf(':') + 1)) * 1_000_000)
			.sum();
	}

	/**
	 * What came in from all clients and went out to them.
	 * @return bytes
	 */
	public long bytes() {
		return BYTES.matcher(info("stats")).results().mapToLong((bytes) -> Long.parseLong(bytes.group(1))).sum();
	}

	/** The memory that is in use, in bytes. */
	long memory() {
		Matcher used = MEMORY.matcher(info("memory"));
		return used.find() ? Long.parseLong(used.group(1)) : 0;
	}

	private String info(String section) {
		return (String) this.server.ask("INFO", section);
	}

	/**
	 * Keep only scripts that take longer than the longest so far, so that the log of slow
	 * commands stays short.
	 * @param micros the longest so far
	 * @return the longest by now
	 */
	long longestScript(long micros) {
		long longest = micros;
		for (Object entry : (List<?>) this.server.ask("SLOWLOG", "GET", "128")) {
			List<?> fields = (List<?>) entry;
			String command = String.valueOf(((List<?>) fields.get(3)).get(0)).toLowerCase(Locale.ROOT);
			if (isScript(command)) {
				longest = Math.max(longest, (Long) fields.get(2));
			}
		}
		this.server.ask("CONFIG", "SET", "slowlog-log-slower-than", Long.toString(longest));
		this.server.ask("SLOWLOG", "RESET");
		return longest;
	}

}
