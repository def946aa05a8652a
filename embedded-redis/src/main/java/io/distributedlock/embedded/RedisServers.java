package io.distributedlock.embedded;

import java.util.List;
import java.util.Optional;

/**
 * Finds and starts a Redis server. It runs in a container if a Docker engine answers and
 * Testcontainers is there. Else it is the binary in the jar
 * {@code org.signal:embedded-redis}, else {@code redis-server} on the path.
 * <p>
 * System properties override that. {@value #MODE_PROPERTY} is {@code auto}, or forces
 * {@code docker}, {@code binary} or {@code path}; {@code none} forbids to start any
 * server. {@value #BINARY_PROPERTY} names the executable of a server (Redis or Valkey),
 * and {@value #IMAGE_PROPERTY} the image of the container.
 *
 * @since 0.1.0
 */
public final class RedisServers {

	/** Property that forces the kind of server. */
	public static final String MODE_PROPERTY = "embedded.redis.mode";

	/** Property that names the executable of a server. */
	public static final String BINARY_PROPERTY = "embedded.redis.binary";

	/** Property that names the image of a container. */
	public static final String IMAGE_PROPERTY = "embedded.redis.image";

	private static final String DEFAULT_IMAGE = "redis:7.0.15";

	private static final System.Logger logger = System.getLogger(RedisServers.class.getName());

	private RedisServers() {
	}

	/**
	 * Start a server on a free port, without persistence, with {@code DEBUG} allowed.
	 * @param settings more arguments for redis-server, such as
	 * {@code "--maxmemory", "2mb"}
	 * @return the server, accepting connections
	 * @throws IllegalStateException if there is no server to start
	 */
	public static RedisServer start(String... settings) {
		requireAllowed();
		List<String> arguments = List.of(settings);
		String mode = System.getProperty(MODE_PROPERTY, "auto");
		return switch (mode) {
			case "auto" -> startWhatThereIs(arguments);
			case "docker" -> container(arguments);
			case "binary" -> process(ServerBinary.bundled(), mode, arguments);
			case "path" -> process(ServerBinary.onPath(), mode, arguments);
			default -> throw new IllegalStateException(
					MODE_PROPERTY + " must be auto, docker, binary, path or none but is '" + mode + "'");
		};
	}

	/**
	 * Start one Sentinel, as a process.
	 * @param configuration the lines of its configuration file; one names a master
	 * @return the Sentinel, accepting connections
	 * @throws IllegalStateException if there is no server to start
	 */
	public static RedisServer startSentinel(String... configuration) {
		return RedisProcess.start(binary(), ServerArguments.sentinel(List.of(configuration)));
	}

	/**
	 * Check that this build may start servers.
	 * @throws IllegalStateException if the mode is {@code none}
	 */
	public static void requireAllowed() {
		if ("none".equals(System.getProperty(MODE_PROPERTY))) {
			throw new IllegalStateException("This build runs no test that needs a server (" + MODE_PROPERTY
					+ "=none). The name of such a test ends with IntegrationTests");
		}
	}

	private static RedisServer startWhatThereIs(List<String> settings) {
		Optional<ServerBinary> configured = ServerBinary.configured();
		if (configured.isPresent()) {
			return process(configured, "auto", settings);
		}
		if (DockerEngine.isAvailable()) {
			try {
				return container(settings);
			}
			catch (RuntimeException ex) {
				logger.log(System.Logger.Level.WARNING,
						"Docker answers, but starting a container failed; going on with a redis-server process", ex);
			}
		}
		return process(ServerBinary.bundled().or(ServerBinary::onPath), "auto", settings);
	}

	/**
	 * The major version of servers that are started as processes. Older ones refuse some
	 * commands and settings.
	 * @return a number such as 7
	 */
	public static int majorVersion() {
		return binary().majorVersion();
	}

	/**
	 * The executable of servers that have to reach each other under one address. They are
	 * processes, even if there is a Docker engine.
	 */
	static ServerBinary binary() {
		requireAllowed();
		return ServerBinary.configured()
			.or(ServerBinary::bundled)
			.or(ServerBinary::onPath)
			.orElseThrow(() -> noServer("process"));
	}

	private static RedisServer container(List<String> settings) {
		if (!DockerEngine.isAvailable()) {
			throw new IllegalStateException(
					"No Docker engine answers, or org.testcontainers:testcontainers is not on the class path. "
							+ "Start one, or set -D" + MODE_PROPERTY + "=auto");
		}
		RedisContainer container = new RedisContainer(System.getProperty(IMAGE_PROPERTY, DEFAULT_IMAGE), settings);
		container.start();
		return container;
	}

	private static RedisServer process(Optional<ServerBinary> binary, String mode, List<String> settings) {
		return RedisProcess.start(binary.orElseThrow(() -> noServer(mode)), settings);
	}

	private static IllegalStateException noServer(String mode) {
		return new IllegalStateException(
				"There is no Redis server to start (" + MODE_PROPERTY + "=" + mode + "). Either start a Docker engine, "
						+ "or run on Linux or macOS with org.signal:embedded-redis on the class path, "
						+ "or put redis-server on the PATH, or name one with -D" + BINARY_PROPERTY + "=/path/to/it");
	}

}
