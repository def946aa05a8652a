package io.distributedlock.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A redis-server in a container. Its port on the host is chosen here, so that it is the
 * same after a restart.
 */
final class RedisContainer implements RedisServer {

	private static final int INNER_PORT = 6379;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration POLL = Duration.ofMillis(20);

	/** No wait for lines of the log, which after a restart still has the old ones. */
	private static final WaitStrategy NO_WAIT = new AbstractWaitStrategy() {
		@Override
		protected void waitUntilReady() {
			// awaitReady asks the server itself.
		}
	};

	private final String image;

	private final List<String> settings;

	private final PortReservation reservation = FreePort.choose();

	private final int port = this.reservation.port();

	private @Nullable GenericContainer<?> container;

	private boolean closed;

	RedisContainer(String image, List<String> settings) {
		this.image = image;
		this.settings = settings;
	}

	@Override
	public synchronized String host() {
		return container().getHost();
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
		if (this.container == null) {
			startNew(create());
		}
		else if (!isRunning()) {
			client().startContainerCmd(container().getContainerId()).exec();
			awaitReady();
		}
	}

	private void startNew(GenericContainer<?> created) {
		this.container = created;
		try {
			created.start();
			awaitReady();
		}
		catch (ContainerLaunchException ex) {
			String log = (created.getContainerId() != null) ? created.getLogs() : "no log";
			remove();
			throw new IllegalStateException("Starting " + description() + " failed: " + log, ex);
		}
		catch (RuntimeException ex) {
			remove();
			throw ex;
		}
	}

	private GenericContainer<?> create() {
		List<String> command = new ArrayList<>(List.of("redis-server", "--port", Integer.toString(INNER_PORT),
				"--protected-mode", "no", "--save", "", "--appendonly", "no", "--enable-debug-command", "yes"));
		command.addAll(this.settings);
		GenericContainer<?> created = new GenericContainer<>(DockerImageName.parse(this.image));
		created.setExposedPorts(List.of(INNER_PORT));
		created.setPortBindings(List.of(this.port + ":" + INNER_PORT));
		created.setCommand(command.toArray(String[]::new));
		created.setWaitStrategy(NO_WAIT);
		return created;
	}

	private void awaitReady() {
		long start = System.nanoTime();
		while (!answers()) {
			if (!isRunning()) {
				throw new IllegalStateException("redis-server ended at once: " + container().getLogs());
			}
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw new IllegalStateException("Not ready after " + PATIENCE + ": " + description());
			}
		}
	}

	private boolean answers() {
		try (Socket socket = new Socket()) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.connect(new InetSocketAddress(host(), this.port), (int) PATIENCE.toMillis());
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
		}
		catch (IOException ex) {
			pauseBriefly();
			return false;
		}
	}

	private static void pauseBriefly() {
		LockSupport.parkNanos(POLL.toNanos());
	}

	@Override
	public synchronized void kill() {
		if (!isRunning()) {
			return;
		}
		if (isPaused()) {
			resume();
		}
		client().killContainerCmd(container().getContainerId()).exec();
		long start = System.nanoTime();
		while (isRunning() && System.nanoTime() - start < PATIENCE.toNanos()) {
			pauseBriefly();
		}
	}

	@Override
	public synchronized void pause() {
		client().pauseContainerCmd(container().getContainerId()).exec();
	}

	@Override
	public synchronized void resume() {
		client().unpauseContainerCmd(container().getContainerId()).exec();
	}

	/** Remove the container with its disk; the next start creates a new one. */
	@Override
	public synchronized void deleteData() {
		if (isRunning()) {
			throw new IllegalStateException("Still running: " + description());
		}
		remove();
	}

	@Override
	public synchronized boolean isRunning() {
		return this.container != null && this.container.getContainerId() != null
				&& Boolean.TRUE.equals(state().getRunning());
	}

	private boolean isPaused() {
		return Boolean.TRUE.equals(state().getPaused());
	}

	private ContainerState state() {
		return client().inspectContainerCmd(container().getContainerId()).exec().getState();
	}

	private GenericContainer<?> container() {
		if (this.container == null) {
			throw new IllegalStateException("Not running: " + description());
		}
		return this.container;
	}

	private DockerClient client() {
		return container().getDockerClient();
	}

	@Override
	public synchronized void close() {
		if (!this.closed) {
			this.closed = true;
			kill();
			remove();
			this.reservation.close();
		}
	}

	private void remove() {
		if (this.container != null) {
			this.container.stop();
			this.container = null;
		}
	}

	@Override
	public String description() {
		return "container of " + this.image + " at port " + this.port;
	}

	@Override
	public String toString() {
		return description();
	}

}
