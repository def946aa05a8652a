package io.distributedlock.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A PgBouncer in transaction mode before a {@link PostgresServer}, as a child process. It
 * is that of this machine: there is no artifact with it.
 *
 * @since 0.1.0
 */
public final class PgBouncer implements AutoCloseable {

	/** Property that names the executable. */
	static final String BINARY_PROPERTY = "pgbouncer.binary";

	/** Property with which a missing one is a failure. */
	static final String REQUIRED_PROPERTY = "pgbouncer.required";

	/** Environment variable that does the same. */
	static final String REQUIRED_VARIABLE = "PGBOUNCER_REQUIRED";

	private static final List<String> FOLDERS = List.of("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin");

	private static final long READY_SECONDS = 60;

	private final String binary;

	private final String user;

	private final Path folder;

	private final PortReservation reservation = FreePort.choose();

	private @Nullable Process process;

	private PgBouncer(String binary, PostgresServer server, String user, int connections) throws IOException {
		this.binary = binary;
		this.user = user;
		this.folder = Files.createTempDirectory("embedded-pgbouncer-",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
		Files.writeString(this.folder.resolve("users"), "\"%s\" \"\"\n".formatted(user));
		Files.writeString(this.folder.resolve("settings"), """
				[databases]
				postgres = host=127.0.0.1 port=%d dbname=postgres
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = trust
				auth_file = %s
				pool_mode = transaction
				default_pool_size = %d
				ignore_startup_parameters = extra_float_digits
				""".formatted(server.port(), this.reservation.port(), this.folder.resolve("users"), connections));
	}

	/**
	 * Start a pooler, if this machine has the program.
	 * @param server the server
	 * @param user the user that may log in, without a password
	 * @param connections the number of connections to the server
	 * @return the pooler, accepting connections; empty if there is no program and none is
	 * required
	 * @throws IllegalStateException if it does not start, or is missing but required
	 */
	public static Optional<PgBouncer> start(PostgresServer server, String user, int connections) {
		Optional<String> binary = find();
		if (binary.isEmpty()
				&& (Boolean.getBoolean(REQUIRED_PROPERTY) || "true".equals(System.getenv(REQUIRED_VARIABLE)))) {
			throw new IllegalStateException(missing());
		}
		return binary.map((program) -> start(program, server, user, connections));
	}

	private static PgBouncer start(String binary, PostgresServer server, String user, int connections) {
		try {
			PgBouncer started = new PgBouncer(binary, server, user, connections);
			started.restart();
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Starting PgBouncer failed", ex);
		}
	}

	/**
	 * The message that says how to get the program.
	 * @return a text for people
	 */
	public static String missing() {
		return "There is no pgbouncer on the PATH. Install it (Debian: apt-get install pgbouncer), or name it with -D"
				+ BINARY_PROPERTY + "=…";
	}

	private static Optional<String> find() {
		String configured = System.getProperty(BINARY_PROPERTY, "");
		if (!configured.isEmpty()) {
			return Optional.of(configured);
		}
		Stream<String> path = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
		return Stream.concat(path, FOLDERS.stream())
			.map((folder) -> Path.of(folder, "pgbouncer"))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst();
	}

	/**
	 * Return the JDBC address of the database behind it.
	 * @return the address
	 */
	public String url() {
		return "jdbc:postgresql://127.0.0.1:" + this.reservation.port() + "/postgres";
	}

	/** Start it, after {@link #kill()} on the same port. */
	public void restart() {
		try {
			Process started = UnprivilegedProcess.start(this.folder, List.of(this.binary, "settings"));
			this.process = started;
			for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS); System.nanoTime() - end < 0;) {
				if (accepts()) {
					return;
				}
				if (started.waitFor(20, TimeUnit.MILLISECONDS)) {
					break;
				}
			}
			throw new IllegalStateException("PgBouncer accepts no connection: " + UnprivilegedProcess.log(this.folder));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Starting PgBouncer failed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private boolean accepts() {
		try (Connection connection = DriverManager.getConnection(url(), this.user, "")) {
			return connection.isValid(5);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/** Kill it, which breaks all connections. */
	public void kill() {
		if (this.process != null) {
			this.process.destroyForcibly().onExit().join();
		}
	}

	@Override
	public void close() {
		kill();
		this.reservation.close();
		PostgresServer.delete(this.folder);
	}

}
