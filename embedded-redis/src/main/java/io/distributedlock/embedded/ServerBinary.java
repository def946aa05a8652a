package io.distributedlock.embedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An executable redis-server.
 *
 * @param path its path
 * @param majorVersion the first number of its version
 * @param description a description for messages
 */
record ServerBinary(Path path, int majorVersion, String description) {

	private static final String BUNDLED_VERSION = "7.0.15";

	private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.\\S+");

	private static @Nullable ServerBinary unpacked;

	/** The executable that the user named. */
	static Optional<ServerBinary> configured() {
		return Optional.ofNullable(System.getProperty(RedisServers.BINARY_PROPERTY))
			.map((path) -> inspect(executable(Path.of(path))));
	}

	/** Make a file executable: one that was just unpacked from a jar may not be. */
	private static Path executable(Path path) {
		if (!Files.isExecutable(path)) {
			path.toFile().setExecutable(true);
		}
		return path;
	}

	static Optional<ServerBinary> onPath() {
		String path = System.getenv("PATH");
		return Arrays.stream(((path != null) ? path : "").split(Pattern.quote(File.pathSeparator)))
			.map((folder) -> Path.of(folder, "redis-server"))
			.filter(Files::isExecutable)
			.findFirst()
			.map(ServerBinary::inspect);
	}

	/**
	 * The executable in the jar {@code org.signal:embedded-redis}, unpacked once per JVM.
	 */
	static synchronized Optional<ServerBinary> bundled() {
		if (unpacked == null) {
			String name = "redis-server-" + BUNDLED_VERSION + '-' + operatingSystem() + '-' + architecture();
			try (InputStream content = ServerBinary.class.getClassLoader().getResourceAsStream(name)) {
				unpacked = (content != null) ? unpack(content) : null;
			}
			catch (IOException ex) {
				throw new UncheckedIOException("Unpacking " + name + " failed", ex);
			}
		}
		return Optional.ofNullable(unpacked);
	}

	private static ServerBinary unpack(InputStream content) throws IOException {
		Path folder = Files.createTempDirectory("embedded-redis-");
		folder.toFile().deleteOnExit();
		Path file = folder.resolve("redis-server");
		file.toFile().deleteOnExit();
		Files.copy(content, file);
		if (!file.toFile().setExecutable(true, true)) {
			throw new IOException(file + " cannot be made executable");
		}
		return new ServerBinary(file, 7, "redis-server " + BUNDLED_VERSION + " (bundled binary)");
	}

	private static ServerBinary inspect(Path path) {
		try {
			Process process = new ProcessBuilder(path.toString(), "--version").redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes()).strip();
			process.waitFor(5, TimeUnit.SECONDS);
			Matcher version = VERSION.matcher(output);
			if (!version.find()) {
				throw new IllegalStateException(path + " is not a Redis server: --version printed '" + output + "'");
			}
			return new ServerBinary(path, Integer.parseInt(version.group(1)), path + " (" + version.group() + ")");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(path + " cannot be run", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private static String operatingSystem() {
		String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
		return name.contains("mac") ? "darwin" : name.contains("linux") ? "linux" : name;
	}

	private static String architecture() {
		String name = System.getProperty("os.arch");
		return switch (name) {
			case "amd64", "x86_64" -> "amd64";
			case "aarch64", "arm64" -> "arm64";
			case "x86", "i386", "i686" -> "386";
			default -> name;
		};
	}

}
