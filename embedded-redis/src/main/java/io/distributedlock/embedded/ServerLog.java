package io.distributedlock.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads the output of a server to its end, so that the server never blocks on a full
 * pipe.
 */
final class ServerLog implements Runnable {

	private static final String READY = "Ready to accept connections";

	private static final String SENTINEL_READY = "+monitor master";

	private static final String TAKEN = "Could not create server TCP listening socket";

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int KEPT_LINES = 40;

	private final BufferedReader output;

	private final Deque<String> lines = new ArrayDeque<>();

	private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

	private ServerLog(BufferedReader output) {
		this.output = output;
	}

	static ServerLog of(Process process) {
		ServerLog log = new ServerLog(process.inputReader());
		Thread thread = new Thread(log, "embedded-redis-log");
		thread.setDaemon(true);
		thread.start();
		return log;
	}

	@Override
	public void run() {
		try (this.output) {
			for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
				keep(line);
				if (line.contains(READY) || line.contains(SENTINEL_READY)) {
					this.ready.complete(true);
				}
			}
		}
		catch (IOException ex) {
			keep(ex.toString());
		}
		this.ready.complete(false);
	}

	private synchronized void keep(String line) {
		this.lines.addLast(line);
		if (this.lines.size() > KEPT_LINES) {
			this.lines.removeFirst();
		}
	}

	private synchronized String text() {
		return String.join(System.lineSeparator(), this.lines);
	}

	void awaitReady() {
		try {
			if (!this.ready.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				throw ended();
			}
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("redis-server is not ready after " + PATIENCE + ": " + text(), ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while redis-server starts", ex);
		}
	}

	private IllegalStateException ended() {
		String text = text();
		return text.contains(TAKEN) ? new PortTakenException(text)
				: new IllegalStateException("redis-server ended at once: " + text);
	}

}
