package io.distributedlock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * An address in front of a server. Answers pass as they are; a {@link Guard} passes the
 * commands of each client on.
 */
final class Door implements AutoCloseable {

	private final RedisServer server;

	private final Guard guard;

	private final ServerSocket entrance;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	Door(RedisServer server, Guard guard) {
		this.server = server;
		this.guard = guard;
		try {
			this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	String host() {
		return this.entrance.getInetAddress().getHostAddress();
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(host(), port());
	}

	private void accept() throws IOException {
		while (!this.entrance.isClosed()) {
			Socket client = this.entrance.accept();
			Socket behind = new Socket(this.server.host(), this.server.port());
			this.sockets.addAll(List.of(client, behind));
			start(() -> this.guard.pass(client, behind));
			start(() -> behind.getInputStream().transferTo(client.getOutputStream()));
		}
	}

	private static void start(Talk talk) {
		Thread thread = new Thread(() -> {
			try {
				talk.run();
			}
			catch (IOException ignored) {
				// Either side has closed its connection.
			}
		}, "door");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		try {
			this.entrance.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Passes the commands of a client on. */
	@FunctionalInterface
	interface Guard {

		void pass(Socket client, Socket server) throws IOException;

	}

	private interface Talk {

		void run() throws IOException;

	}

}
