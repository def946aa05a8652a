package io.distributedlock.chaos;

import java.time.Duration;
import java.util.Random;

import org.springframework.boot.convert.DurationStyle;

/**
 * The size of a run.
 *
 * @param topology where the locks are
 * @param seed the seed of the choice of faults and work
 * @param duration how long faults strike
 * @param processes how many processes take locks
 * @param threads how many threads each of them has
 * @param keys how many locks there are
 * @param pause the longest pause between two faults of a lane
 * @param clocks whether clocks are set too, which needs changed scripts
 */
record ChaosSettings(TopologyKind topology, long seed, Duration duration, int processes, int threads, int keys,
		Duration pause, boolean clocks) {

	/** For runs in which there is to be as much trouble as possible. */
	static final Duration SHORT_PAUSE = Duration.ofSeconds(1);

	/** The longest lease that is taken. */
	static final Duration LONGEST_TTL = Duration.ofSeconds(2);

	/** How long a command may go unanswered. */
	static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	/**
	 * The time in which silent connections are replaced: a command, two seconds without
	 * an answer, and a pause before the next connection.
	 */
	static final Duration REPLACED = COMMAND_TIMEOUT.plusSeconds(3);

	/** How often waiters poll. */
	static final Duration POLL = Duration.ofSeconds(1);

	/** The longest time that one command keeps a key in use: that of a waiter entry. */
	static final Duration LONGEST_USE = POLL.multipliedBy(3);

	/** A run with another seed each time, unless the properties name one. */
	static ChaosSettings fromProperties(Duration defaultDuration) {
		return fromProperties(defaultDuration, new Random().nextLong(1_000_000_000), 3);
	}

	static ChaosSettings fromProperties(Duration defaultDuration, long defaultSeed, int defaultProcesses) {
		long seed = Long.getLong("chaos.seed", defaultSeed);
		return new ChaosSettings(TopologyKind.STANDALONE, seed, duration("chaos.duration", defaultDuration),
				Integer.getInteger("chaos.processes", defaultProcesses), Integer.getInteger("chaos.threads", 6),
				Integer.getInteger("chaos.keys", 8), duration("chaos.pause", SHORT_PAUSE), false);
	}

	private static Duration duration(String property, Duration other) {
		String given = System.getProperty(property, "");
		return given.isEmpty() ? other : DurationStyle.detectAndParse(given);
	}

	ChaosSettings withClocks(Duration duration) {
		return new ChaosSettings(this.topology, this.seed, duration, this.processes, this.threads, this.keys,
				this.pause, true);
	}

	ChaosSettings on(TopologyKind topology) {
		return new ChaosSettings(topology, this.seed, this.duration, this.processes, this.threads, this.keys,
				this.pause, this.clocks);
	}

	ChaosKeys chaosKeys() {
		return new ChaosKeys(this.keys);
	}

	/** The command that does the same again. */
	String command() {
		return ("mvn -Pchaos -pl tests/%s -am verify -Dtest='%s' -Dchaos.topology=%s -Dchaos.seed=%d"
				+ " -Dchaos.duration=%ds -Dchaos.processes=%d -Dchaos.threads=%d -Dchaos.keys=%d"
				+ " -Dchaos.pause=%dms")
			.formatted(this.clocks ? "alone" : "reliability", this.clocks ? "Chaos*" : "LongChaos*",
					this.topology.label(), this.seed, this.duration.toSeconds(), this.processes, this.threads,
					this.keys, this.pause.toMillis());
	}

}
