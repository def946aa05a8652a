package io.distributedlock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A redis-server as a child process.
 */
final class RedisProcess implements RedisServer {

	/**
	 * Script of a shell that starts a watchdog and then becomes the server. The watchdog
	 * reads from the JVM, which never writes. End of file means that the JVM is gone,
	 * even by SIGKILL; then the watchdog kills the server.
	 */
	private static final String WATCHED = "exec 3<&0; (cat; kill -9 $$) <&3 >/dev/null 2>&1 & exec \"$@\" </dev/null 3<&-";

	private static final int ATTEMPTS = 10;

	private final ServerBinary binary;

	private final ServerArguments arguments;

	private final Path folder;

	/** Kept while the server is down, so that a restart gets the same port. */
	private final PortReservation reservation;

	private final int port;

	private final Thread closeAtExit = new Thread(this::end, "embedded-redis-exit");

	private @Nullable Process process;

	private boolean closed;

	private RedisProcess(ServerBinary binary, ServerArguments arguments, Path folder, PortReservation reservation) {
		this.binary = binary;
		this.arguments = arguments;
		this.folder = folder;
		this.reservation = reservation;
		this.port = reservation.port();
	}

	static RedisProcess start(ServerBinary binary, List<String> settings) {
		return start(binary, ServerArguments.dataServer(binary, settings));
	}

	static RedisProcess start(ServerBinary binary, ServerArguments arguments) {
		for (int attempt = 1;; attempt++) {
			RedisProcess server = new RedisProcess(binary, arguments, newFolder(), FreePort.choose());
			Runtime.getRuntime().addShutdownHook(server.closeAtExit);
			try {
				server.start();
				return server;
			}
			catch (PortTakenException ex) {
				server.close();
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
			catch (RuntimeException ex) {
				server.close();
				throw ex;
			}
		}
	}

	private static Path newFolder() {
		try {
			return Files.createTempDirectory("embedded-redis-data-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String host() {
		return "127.0.0.1";
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public synchronized void start() {
		if (this.closed) {
			throw new IllegalStateException("Closed: " + description());
		}
		if (isRunning()) {
			return;
		}
		try {
			Process started = new ProcessBuilder(command()).redirectErrorStream(true).start();
			this.process = started;
			ServerLog.of(started).awaitReady();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Starting " + description() + " failed", ex);
		}
	}

	private List<String> command() throws IOException {
		List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", WATCHED, "embedded-redis"));
		command.add(this.binary.path().toString());
		command.addAll(this.arguments.of(this.port, this.folder));
		return command;
	}

	@Override
	public synchronized void kill() {
		if (this.process == null) {
			return;
		}
		boolean interrupted = false;
		this.process.destroyForcibly();
		while (this.process.isAlive()) {
			try {
				this.process.waitFor();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void pause() {
		signal("STOP");
	}

	@Override
	public void resume() {
		signal("CONT");
	}

	private synchronized void signal(String signal) {
		if (this.process == null || !this.process.isAlive()) {
			throw new IllegalStateException("Not running: " + description());
		}
		String pid = Long.toString(this.process.pid());
		try {
			int result = new ProcessBuilder("/bin/sh", "-c", "kill -\"$0\" \"$1\"", signal, pid).start().waitFor();
			if (result != 0) {
				throw new IllegalStateException("Signal " + signal + " was refused for " + description());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	@Override
	public synchronized void deleteData() {
		if (isRunning()) {
			throw new IllegalStateException("Still running: " + description());
		}
		delete(false);
	}

	private void delete(boolean everything) {
		try (Stream<Path> files = Files.walk(this.folder)) {
			files.sorted(Comparator.reverseOrder())
				.filter((file) -> everything || !file.equals(this.folder))
				.forEach((file) -> file.toFile().delete());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Deleting " + this.folder + " failed", ex);
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	@Override
	public void close() {
		if (end()) {
			try {
				Runtime.getRuntime().removeShutdownHook(this.closeAtExit);
			}
			catch (IllegalStateException ignored) {
				// The JVM is shutting down.
			}
		}
	}

	private synchronized boolean end() {
		if (this.closed) {
			return false;
		}
		this.closed = true;
		kill();
		delete(true);
		this.reservation.close();
		return true;
	}

	@Override
	public String description() {
		return this.binary.description() + " at " + host() + ':' + this.port;
	}

	@Override
	public String toString() {
		return description();
	}

}
