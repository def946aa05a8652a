package io.distributedlock.embedded;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;

/**
 * Checks once per JVM whether Testcontainers reaches a Docker engine. Testcontainers is
 * slow and noisy without an engine, so it is asked only if an engine may exist.
 */
final class DockerEngine {

	private DockerEngine() {
	}

	static boolean isAvailable() {
		return Answer.AVAILABLE;
	}

	private static boolean ask() {
		try {
			return mayExist() && DockerClientFactory.instance().isDockerAvailable();
		}
		catch (RuntimeException | LinkageError ex) {
			return false;
		}
	}

	private static boolean mayExist() {
		String host = System.getenv("DOCKER_HOST");
		if (host != null && !host.startsWith("unix://")) {
			return true;
		}
		Path home = Path.of(System.getProperty("user.home"));
		if (isConfigured(home.resolve(".testcontainers.properties"))
				|| Files.exists(Path.of("\\\\.\\pipe\\docker_engine"))) {
			return true;
		}
		return sockets(host, home).stream().anyMatch(DockerEngine::accepts);
	}

	private static boolean isConfigured(Path properties) {
		try {
			return Files.exists(properties) && Files.readString(properties).lines().anyMatch(DockerEngine::namesHost);
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean namesHost(String line) {
		return line.strip().startsWith("docker.host") || line.strip().startsWith("tc.host");
	}

	private static List<Path> sockets(@Nullable String host, Path home) {
		if (host != null) {
			return List.of(Path.of(host.substring("unix://".length())));
		}
		List<Path> sockets = new ArrayList<>(List.of(Path.of("/var/run/docker.sock"),
				home.resolve(".docker/run/docker.sock"), home.resolve(".docker/desktop/docker.sock")));
		String runtime = System.getenv("XDG_RUNTIME_DIR");
		if (runtime != null) {
			sockets.add(Path.of(runtime, "docker.sock"));
		}
		return sockets;
	}

	private static boolean accepts(Path socket) {
		if (!Files.exists(socket)) {
			return false;
		}
		try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
			return channel.isConnected();
		}
		catch (IOException | UnsupportedOperationException ex) {
			return false;
		}
	}

	private static final class Answer {

		static final boolean AVAILABLE = ask();

	}

}
