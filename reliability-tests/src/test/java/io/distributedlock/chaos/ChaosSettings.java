package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.boot.convert.DurationStyle;

/**
 * The size of a run.
 *
 * @param seed what decides on faults and work
 * @param duration how long faults strike
 * @param processes how many processes take locks
 * @param threads how many threads each of them has
 * @param keys how many locks there are
 * @param clocks whether clocks are set too, which needs changed scripts
 */
record ChaosSettings(long seed, Duration duration, int processes, int threads, int keys, boolean clocks) {

	/** The longest lease that is taken. */
	static final Duration LONGEST_TTL = Duration.ofSeconds(2);

	/** How long a command may go unanswered. */
	static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	/** How often waiters poll. */
	static final Duration POLL = Duration.ofSeconds(1);

	static ChaosSettings fromProperties(Duration defaultDuration) {
		long seed = Long.getLong("chaos.seed", new Random().nextLong(1_000_000_000));
		String duration = System.getProperty("chaos.duration", "");
		return new ChaosSettings(seed, duration.isEmpty() ? defaultDuration : DurationStyle.detectAndParse(duration),
				Integer.getInteger("chaos.processes", 3), Integer.getInteger("chaos.threads", 6),
				Integer.getInteger("chaos.keys", 8), false);
	}

	ChaosSettings withClocks(Duration duration) {
		return new ChaosSettings(this.seed, duration, this.processes, this.threads, this.keys, true);
	}

	/** A lock that is taken often, and for a moment. */
	static String busyKey(int number) {
		return "busy-" + number;
	}

	/** A lock that is held for long, so that faults meet a holder. */
	static String longKey(int number) {
		return "long-" + number;
	}

	List<String> allKeys() {
		return IntStream.range(0, this.keys)
			.boxed()
			.flatMap((number) -> Stream.of(busyKey(number), longKey(number)))
			.toList();
	}

	/** The command that does the same again. */
	String command() {
		return ("mvn -Pchaos -pl reliability-tests -am verify -Dtest='%s' -Dchaos.seed=%d -Dchaos.duration=%ds"
				+ " -Dchaos.processes=%d -Dchaos.threads=%d -Dchaos.keys=%d")
			.formatted(this.clocks ? "Chaos*" : "LongChaos*", this.seed, this.duration.toSeconds(), this.processes,
					this.threads, this.keys);
	}

}
