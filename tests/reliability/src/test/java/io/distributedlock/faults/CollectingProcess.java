package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A holder whose garbage collection takes as long as the test wants. Its collector logs
 * into a pipe that is not read. Once the pipe is full the collector waits, in the middle
 * of a full collection and with every thread stopped at a safepoint, until the test
 * reads. A slow disk under a log of the collector does the same to a real application.
 */
final class CollectingProcess extends HolderProcess {

	/**
	 * How long each took, and in its middle more than fits into a pipe; nothing before
	 * the first one.
	 */
	private static final String LOGGED = "gc=info,gc+classhisto=trace";

	private static final Pattern FULL_PAUSE = Pattern.compile("Pause Full.* (\\d+)[.,]\\d+ms");

	private final BufferedReader log;

	private CollectingProcess(Path pipe, String host, int port, String key, Duration ttl) throws IOException {
		super(List.of("-Xlog:" + LOGGED + ":file=" + pipe), host, port, key, ttl);
		this.log = new BufferedReader(
				new InputStreamReader(new FileInputStream(pipe.toFile()), StandardCharsets.UTF_8));
	}

	static CollectingProcess start(String host, int port, String key, Duration ttl) throws Exception {
		Path folder = Files.createTempDirectory("collector-log-");
		Path pipe = folder.resolve("pipe");
		if (new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() != 0) {
			throw new IllegalStateException("mkfifo failed");
		}
		// A pipe without a reader would keep the process from starting.
		try (RandomAccessFile reader = new RandomAccessFile(pipe.toFile(), "rw")) {
			return new CollectingProcess(pipe, host, port, key, ttl);
		}
		finally {
			Files.delete(pipe);
			Files.delete(folder);
		}
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
		Duration longest = Duration.ZERO;
		while (longest.compareTo(atLeast) < 0) {
			Matcher pause = FULL_PAUSE.matcher(this.log.readLine());
			longest = pause.find() ? Duration.ofMillis(Long.parseLong(pause.group(1))) : longest;
		}
		Thread reader = new Thread(this::readToTheEnd, "collector-log");
		reader.setDaemon(true);
		reader.start();
	}

	private void readToTheEnd() {
		try (BufferedReader rest = this.log) {
			while (rest.readLine() != null) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ignored) {
			// The process was killed.
		}
	}

}
