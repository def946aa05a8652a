package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A holder whose garbage collection takes as long as the test wants. Its collector logs
 * into a pipe that nobody reads. Once the pipe is full the collector waits, in the middle
 * of a full collection and with every thread stopped at a safepoint, until somebody
 * reads: what a slow disk under a log of the collector does to a real application.
 */
final class CollectingProcess extends HolderProcess {

	private static final Pattern FULL_PAUSE = Pattern.compile("Pause Full.* (\\d+)[.,]\\d+ms");

	CollectingProcess(String host, int port, String key, Duration ttl) throws IOException {
		super(List.of("-Xlog:gc*=trace:stderr"), ProcessBuilder.Redirect.PIPE, host, port, key, ttl);
	}

	/** Let the process collect until it is stuck. */
	void beginLongCollection() throws IOException {
		send(COLLECT);
	}

	/**
	 * Let the collection end, and all later ones take the time they need.
	 * @param atLeast how long it must have taken by the log of the collector itself
	 */
	void endLongCollection(Duration atLeast) throws IOException {
		BufferedReader log = new BufferedReader(new InputStreamReader(errors(), StandardCharsets.UTF_8));
		Duration longest = Duration.ZERO;
		while (longest.compareTo(atLeast) < 0) {
			Matcher pause = FULL_PAUSE.matcher(log.readLine());
			longest = pause.find() ? Duration.ofMillis(Long.parseLong(pause.group(1))) : longest;
		}
		Thread reader = new Thread(() -> readToTheEnd(log), "collector-log");
		reader.setDaemon(true);
		reader.start();
	}

	private static void readToTheEnd(BufferedReader log) {
		try {
			while (log.readLine() != null) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ignored) {
			// The process was killed.
		}
	}

}
