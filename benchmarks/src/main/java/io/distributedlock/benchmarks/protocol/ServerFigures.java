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
 * Figures that a server reports of its work. Commands of the measurement itself, such as
 * {@code INFO}, do not count.
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
	 * Create the figures of a server.
	 * @param server a server that runs
	 */
	public ServerFigures(RedisServer server) {
		this.server = server;
	}

	/**
	 * The number of commands that were executed, inside and outside of scripts.
	 * @return the number
	 */
	public long commands() {
		return commands((name) -> !OWN.contains(name), 2);
	}

	/**
	 * The number of scripts that were executed.
	 * @return the number
	 */
	public long scripts() {
		return commands(ServerFigures::isScript, 2);
	}

	/** The execution time of all scripts, in microseconds. */
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
	 * The processor time of the thread that executes commands. A server before Redis 7
	 * reports only that of the whole server.
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
	 * The traffic with all clients, in both directions.
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
	 * Update the longest script from the log of slow commands. From then on the log keeps
	 * only longer ones, so that it stays short.
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
