package io.distributedlock.benchmarks.protocol;

import java.lang.management.ManagementFactory;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;

/**
 * Describes the machine and the time of a measurement.
 */
public final class Machine {

	private Machine() {
	}

	/**
	 * Date, processors, Java, server and load.
	 * @return one line
	 */
	public static String describe() {
		try (RedisServer server = RedisServers.start()) {
			return String.format(Locale.ROOT, "%s, %d cores, %s %s, Java %s, %s. %s",
					LocalDateTime.now().truncatedTo(ChronoUnit.MINUTES), Runtime.getRuntime().availableProcessors(),
					System.getProperty("os.name"), System.getProperty("os.arch"), System.getProperty("java.version"),
					server.description().replaceFirst(" at .*", ""), load());
		}
	}

	/**
	 * The load of the machine. If it is above the number of processors, other programs
	 * have taken part.
	 * @return the load of the last minute
	 */
	public static String load() {
		return String.format(Locale.ROOT, "Load average of the last minute: %.1f",
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
	}

}
