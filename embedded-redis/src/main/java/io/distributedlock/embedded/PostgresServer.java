package io.distributedlock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL as a child process, with a new database on a free port of this machine. It
 * writes to the disk as a server in production does ({@code fsync} and
 * {@code synchronous_commit} are on), and trusts every user. The driver is that of the
 * module that starts it.
 *
 * @since 0.1.0
 */
public final class PostgresServer implements AutoCloseable {

	private static final int ATTEMPTS = 10;

	private static final long READY_SECONDS = 60;

	private final List<String> settings;

	/** Size of the largest file that the server can write. */
	private final long largestFile;

	private final Path folder;

	private final Path data;

	private final Thread closeAtExit = new Thread(this::close, "embedded-postgres-exit");

	/** Kept while the server is down, so that a restart gets the same port. */
	private @Nullable PortReservation reservation;

	private @Nullable Process process;

	private PostgresServer(List<String> settings, long largestFile) throws IOException {
		this.settings = settings;
		this.largestFile = largestFile;
		this.folder = Files.createTempDirectory("embedded-postgres-data-",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
		Runtime.getRuntime().addShutdownHook(this.closeAtExit);
		this.data = Files.createDirectory(this.folder.resolve("data"));
		UnprivilegedProcess.own(this.data);
	}

	private void init() throws IOException, InterruptedException {
		Process init = run("initdb", List.of("-D", this.data.toString(), "-U", "postgres", "-A", "trust", "--no-sync",
				"--locale=C", "-E", "UTF8"));
		if (init.waitFor() != 0) {
			throw new IllegalStateException("initdb failed: " + log());
		}
	}

	/**
	 * Start a server.
	 * @param settings such as {@code "max_connections=20"}; they come after those of this
	 * class
	 * @return the server, accepting connections
	 * @throws IllegalStateException if it does not start, or if this build may start none
	 */
	public static PostgresServer start(String... settings) {
		return start(Long.MAX_VALUE, settings);
	}

	/**
	 * Start a server that cannot write beyond a size in any file, as on a disk that is
	 * full. Its log has files of 16 MB, without which it ends.
	 * @param largestFile the size in bytes
	 * @param settings as for other servers
	 * @return the server
	 */
	public static PostgresServer startWithFilesUpTo(long largestFile, String... settings) {
		return start(largestFile, settings);
	}

	private static PostgresServer start(long largestFile, String... settings) {
		RedisServers.requireAllowed();
		try {
			PostgresServer server = new PostgresServer(List.of(settings), largestFile);
			server.init();
			server.startOnAnyPort();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Starting PostgreSQL failed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/**
	 * Restart the server with a standby, which has its data and receives all that is
	 * written from then on. {@code pg_promote()} makes it a primary.
	 * @return the standby, which accepts connections that read
	 * @throws IllegalStateException if one of both does not start
	 */
	public PostgresServer startStandby() {
		List<String> with = new ArrayList<>(this.settings);
		with.add("primary_conninfo=host=127.0.0.1 user=postgres port=" + port());
		stop();
		try {
			PostgresServer standby = new PostgresServer(with, this.largestFile);
			copy(this.data, standby.data);
			Files.createFile(standby.data.resolve("standby.signal"));
			restart();
			standby.startOnAnyPort();
			return standby;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Starting a standby failed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/** Copy a folder with the owners and permissions of its files. */
	private static void copy(Path from, Path to) throws IOException {
		Files.delete(to);
		try (Stream<Path> files = Files.walk(from)) {
			for (Path file : (Iterable<Path>) files::iterator) {
				Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
			}
		}
	}

	/**
	 * Check whether a server can be started.
	 * @return {@code false} if there are no programs for this system and processor
	 */
	public static boolean isAvailable() {
		return PostgresBinaries.exist();
	}

	/** Another process may take the port between its choice and its use. */
	private void startOnAnyPort() throws IOException, InterruptedException {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			this.reservation = FreePort.choose();
			if (tryStart()) {
				return;
			}
			this.reservation.close();
		}
		throw new IllegalStateException("PostgreSQL did not start: " + log());
	}

	private boolean tryStart() throws IOException, InterruptedException {
		List<String> arguments = new ArrayList<>(List.of("-D", this.data.toString(), "-p", Integer.toString(port()),
				"-h", "127.0.0.1", "-k", "", "-c", "shared_buffers=16MB"));
		this.settings.forEach((setting) -> arguments.addAll(List.of("-c", setting)));
		Process started = run("postgres", arguments);
		this.process = started;
		for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS); System.nanoTime() - end < 0;) {
			if (accepts()) {
				return true;
			}
			if (started.waitFor(20, TimeUnit.MILLISECONDS)) {
				return false;
			}
		}
		throw new IllegalStateException("PostgreSQL accepts no connection: " + log());
	}

	private String log() throws IOException {
		return UnprivilegedProcess.log(this.folder);
	}

	private boolean accepts() {
		try (Connection connection = dataSource().getConnection()) {
			return connection.isValid(5);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Return a source of connections to the server, each a new one.
	 * @return a new source, whose settings may be changed
	 */
	public PGSimpleDataSource dataSource() {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setUrl(url());
		dataSource.setUser("postgres");
		return dataSource;
	}

	/**
	 * Return the JDBC address of the database {@code postgres}. The user {@code postgres}
	 * needs no password.
	 * @return the address
	 */
	public String url() {
		return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres";
	}

	/**
	 * Return the port, which stays the same after a restart.
	 * @return the port
	 */
	public int port() {
		if (this.reservation == null) {
			throw new IllegalStateException("Never started");
		}
		return this.reservation.port();
	}

	/**
	 * Stop the server as an orderly restart does: it ends connections and transactions.
	 */
	public void stop() {
		signal("INT");
		awaitEnd();
	}

	/** Stop the server as a crash does: it loses what is not on the disk. */
	public void crash() {
		signal("QUIT");
		awaitEnd();
	}

	/** Start the server again, on the same port and with its data. */
	public void restart() {
		try {
			if (!tryStart()) {
				throw new IllegalStateException("PostgreSQL did not start again: " + log());
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

	/**
	 * Freeze all processes of the server: connections stay open, and commands get no
	 * answer.
	 */
	public void pause() {
		signal("STOP");
		// Now it starts no others.
		signal("STOP", others());
	}

	/** Let a frozen server go on. */
	public void resume() {
		signal("CONT", others());
		signal("CONT");
	}

	/** The processes that the server has started, not the one that watches this JVM. */
	private List<String> others() {
		return running().children()
			.filter((child) -> child.info().command().filter((program) -> program.endsWith("/postgres")).isPresent())
			.map((child) -> Long.toString(child.pid()))
			.toList();
	}

	private void signal(String signal) {
		signal(signal, List.of(Long.toString(running().pid())));
	}

	private Process running() {
		if (this.process == null || !this.process.isAlive()) {
			throw new IllegalStateException("PostgreSQL does not run");
		}
		return this.process;
	}

	private static void signal(String signal, List<String> processes) {
		try {
			List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "kill -\"$0\" \"$@\"", signal));
			command.addAll(processes);
			new ProcessBuilder(command).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private void awaitEnd() {
		Process running = this.process;
		if (running == null) {
			return;
		}
		try {
			if (!running.waitFor(10, TimeUnit.SECONDS)) {
				running.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			running.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

	private Process run(String program, List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(PostgresBinaries.folder().resolve("bin").resolve(program).toString());
		command.addAll(arguments);
		return (this.largestFile == Long.MAX_VALUE) ? UnprivilegedProcess.start(this.folder, command)
				: UnprivilegedProcess.start(this.folder, command, this.largestFile);
	}

	@Override
	public synchronized void close() {
		if (this.process != null && this.process.isAlive()) {
			signal("QUIT");
			awaitEnd();
		}
		if (this.reservation != null) {
			this.reservation.close();
		}
		delete(this.folder);
		try {
			Runtime.getRuntime().removeShutdownHook(this.closeAtExit);
		}
		catch (IllegalStateException ignored) {
			// The JVM is shutting down.
		}
	}

	static void delete(Path folder) {
		if (!Files.exists(folder)) {
			return;
		}
		try (Stream<Path> files = Files.walk(folder)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> file.toFile().delete());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Deleting " + folder + " failed", ex);
		}
	}

}
