package io.distributedlock.benchmarks.comparison;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.protocol.Crowds;
import io.distributedlock.benchmarks.protocol.Machine;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;

/**
 * Compares locks of this library with others and with raw commands. Arguments name the
 * workloads; without arguments all of them run, and {@code sql} names those with locks in
 * PostgreSQL. System properties: {@code comparison.rounds} (9), {@code comparison.slice}
 * (length of a turn, 300 ms), {@code comparison.hold} (time that a lock is held, 10,000
 * ms) and {@code comparison.directory} (directory for a table and a picture of each
 * workload, {@code benchmarks/target/comparison}).
 */
public final class Comparison {

	private static final List<String> PARTS = List.of("cost", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9",
			"w10", "start");

	private static final String SQL = "sql";

	private static final List<String> SQL_PARTS = List.of("sql-w1", "sql-w2", "sql-w3", "sql-w4", "sql-w7",
			"sql-commit");

	private static final List<Library> GROWING = List.of(Library.OWN, Library.REDISSON, Library.SPRING);

	private static final int[] CROWDS = { 10, 100, 1000, 5000 };

	private final Path directory = Path.of(System.getProperty("comparison.directory", "benchmarks/target/comparison"));

	private final Setting setting;

	private Comparison(Setting setting) {
		this.setting = setting;
	}

	/**
	 * Run the comparison.
	 * @param arguments the workloads
	 * @throws Exception if one failed
	 */
	public static void main(String[] arguments) throws Exception {
		List<String> parts = new ArrayList<>((arguments.length > 0) ? List.of(arguments) : PARTS);
		if (arguments.length == 0 || parts.remove(SQL)) {
			parts.addAll(SQL_PARTS);
		}
		List<String> onRedis = parts.stream().filter(PARTS::contains).toList();
		List<String> onPostgres = parts.stream().filter(SQL_PARTS::contains).toList();
		if (onRedis.size() + onPostgres.size() < parts.size()) {
			throw new IllegalArgumentException(
					"Name some of %s, %s or %s, not %s".formatted(PARTS, SQL_PARTS, SQL, parts));
		}
		try (RedisServer server = RedisServers.start()) {
			Setting setting = Setting.of(server);
			new Comparison(setting).runOnRedis(onRedis);
			if (!onPostgres.isEmpty()) {
				try (Database database = Database.start()) {
					new Comparison(setting.on(database.url())).runOnPostgres(onPostgres, database.version());
				}
			}
		}
		// Threads of drivers may still run.
		System.exit(0);
	}

	private void runOnRedis(List<String> parts) throws Exception {
		for (String part : parts) {
			write("machine.md", Machine.describe() + "\n");
			run(part);
			this.setting.server().ask("FLUSHALL");
		}
	}

	private void runOnPostgres(List<String> parts, String version) throws Exception {
		for (String part : parts) {
			write("sql-machine.md", Machine.describe() + "\n" + version + ".\n");
			run(part);
		}
	}

	private void run(String part) throws Exception {
		Setting slow = this.setting.slower(5, 3);
		switch (part.replace(SQL + "-", "")) {
			case "cost" -> write(part, PairCost.compare(this.setting.slower(3, 1)));
			case "commit" -> write(part, CommitCost.compare(this.setting));
			case "w1" -> write(part, FreeKeys.compare(this.setting, "one thread, one key", 1, 1));
			case "w2" -> {
				write(part + "-8", FreeKeys.compare(this.setting, "8 threads, 10,000 keys", 8, 10_000));
				write(part + "-64", FreeKeys.compare(this.setting, "64 threads, 10,000 keys", 64, 10_000));
			}
			case "w3" -> write(part, HotKey.compare(slow, 16));
			case "w4" -> write(part, SharedKey.compare(slow, 4, 4));
			case "w5" -> write(part, WaitingCrowd.compare(this.setting, 200));
			case "w6" -> write(part, HeldLocks.compare(this.setting, 10_000));
			case "w7" -> write(part, HandOff.compare(slow));
			case "w8" -> write(part, HeldLocks.compareAfterBurst(this.setting, 500, 20));
			case "w9" -> write(part, AnnotatedMethod.compare(this.setting));
			case "start" -> write(part, StartUp.compare(this.setting.slower(7, 1)));
			default -> grow(this.setting.slower(3, 1));
		}
	}

	private void grow(Setting few) throws Exception {
		write("w10-keys", FreeKeys.grow(few, (library) -> library == Library.LETTUCE || GROWING.contains(library), 100,
				1_000, 10_000, 100_000));
		write("w10-instances", Growth.instances(few.slower(3, 2), GROWING, 1, 2, 4, 8, 16));
		write("w10-waiters", Growth.waiters(few, List.of(Library.OWN, Library.REDISSON), 1, 10, 100, 1_000, 10_000));
		long limit = 40_000_000_000L;
		write("w10-fair.md", Crowds.fair(CROWDS, 2, limit));
		write("w10-readers.md", Crowds.readers(CROWDS, 2, limit));
	}

	private void write(String name, Table table) throws IOException {
		write(name + ".md", table.markdown());
		Files.writeString(this.directory.resolve(name + ".svg"), new BarChart(table).svg());
	}

	private void write(String file, String text) throws IOException {
		Files.createDirectories(this.directory);
		Files.writeString(this.directory.resolve(file), text, StandardOpenOption.CREATE,
				StandardOpenOption.TRUNCATE_EXISTING);
		System.out.println(text);
	}

}
