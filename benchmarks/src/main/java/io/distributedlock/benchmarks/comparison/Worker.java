package io.distributedlock.benchmarks.comparison;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.comparison.Contest.Outcome;
import io.distributedlock.benchmarks.protocol.Rounds;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * Another process that uses locks. It reads commands, a line each, and answers each with
 * a line. It ends when its input ends.
 */
public final class Worker {

	/** The key of the counter that several processes share. */
	static final String COUNTER = "counter";

	private final Map<Library, Participant> participants = new EnumMap<>(Library.class);

	private final Place place;

	private final RedisCommands<String, String> commands;

	private @Nullable Lock held;

	private Worker(Place place) {
		this.place = place;
		this.commands = RedisClient.create(RedisURI.create(place.host(), place.port())).connect().sync();
	}

	/**
	 * Execute commands until the input ends.
	 * @param arguments host and port of Redis, and the address of PostgreSQL or nothing
	 * @throws Exception if a command failed
	 */
	public static void main(String[] arguments) throws Exception {
		Worker worker = new Worker(Place.of(arguments[0], Integer.parseInt(arguments[1]), arguments[2]));
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			System.out.println(WorkerProcess.ANSWER + worker.execute(line.split(" ")));
		}
		System.exit(0);
	}

	private String execute(String[] words) throws Exception {
		return switch (words[0]) {
			case "count" -> count(words);
			case "hold" -> hold(participant(words[1]).lock(words[2]));
			case "release" -> release();
			case "pair" -> pair(participant(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
			default -> close(Library.valueOf(words[1]));
		};
	}

	private Participant participant(String library) {
		return this.participants.computeIfAbsent(Library.valueOf(library),
				(name) -> Participant.open(name, this.place));
	}

	/**
	 * Count in two commands, so that other processes come in between if the lock fails.
	 */
	private String count(String[] words) throws Exception {
		Participant participant = participant(words[1]);
		List<Lock> locks = IntStream.range(0, Integer.parseInt(words[4]))
			.mapToObj((i) -> participant.lock("shared"))
			.toList();
		Outcome outcome = new Contest(Long.parseLong(words[2]), Long.parseLong(words[3]), this::increment).run(locks);
		return "%d %d %d %d".formatted(outcome.total(), outcome.pairs(), outcome.longestWait(), outcome.errors());
	}

	private void increment() {
		long counted = Long.parseLong(this.commands.get(COUNTER));
		this.commands.set(COUNTER, Long.toString(counted + 1));
	}

	private String hold(Lock lock) {
		lock.lock();
		long now = System.nanoTime();
		this.held = lock;
		return Long.toString(now);
	}

	private String release() {
		long now = System.nanoTime();
		Objects.requireNonNull(this.held, "Nothing is held").unlock();
		return Long.toString(now);
	}

	/**
	 * Return the median of pairs without contention, each after the pause of a hand-off,
	 * in nanoseconds.
	 */
	private static String pair(Participant participant, int times, long pause) {
		double[] nanos = new double[times];
		Lock lock = participant.lock("alone");
		for (int i = 0; i < times; i++) {
			HandOff.pause(pause);
			long start = System.nanoTime();
			lock.lock();
			lock.unlock();
			nanos[i] = System.nanoTime() - start;
		}
		return Long.toString((long) Rounds.quartile(nanos, 2));
	}

	private String close(Library library) {
		Participant participant = this.participants.remove(library);
		if (participant != null) {
			participant.close();
		}
		return "0";
	}

}
