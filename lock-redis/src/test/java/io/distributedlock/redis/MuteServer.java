package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A server that falls silent on a connection for good when it hears a word there, and
 * keeps the connection open.
 */
final class MuteServer implements AutoCloseable {

	private final RedisServer server;

	private final String word;

	private final ServerSocket door;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	private final AtomicInteger silent = new AtomicInteger();

	/**
	 * Open a mute server.
	 * @param server the server that answers until the word is heard
	 * @param word the word after which nothing is answered; with an empty one nothing
	 * ever is
	 */
	MuteServer(RedisServer server, String word) {
		this.server = server;
		this.word = word;
		try {
			this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(this.door.getInetAddress().getHostAddress(), this.door.getLocalPort());
	}

	/** On how many connections nothing is answered any more. */
	int silent() {
		return this.silent.get();
	}

	private void accept() throws IOException {
		while (!this.door.isClosed()) {
			Socket client = this.door.accept();
			Socket speaker = new Socket(this.server.host(), this.server.port());
			this.sockets.addAll(List.of(client, speaker));
			start(() -> listen(client, speaker));
			start(() -> speaker.getInputStream().transferTo(client.getOutputStream()));
		}
	}

	private void listen(Socket client, Socket speaker) throws IOException {
		InputStream in = client.getInputStream();
		OutputStream out = speaker.getOutputStream();
		byte[] heard = new byte[1 << 16];
		for (int length = in.read(heard); length >= 0; length = in.read(heard)) {
			if (new String(heard, 0, length, StandardCharsets.ISO_8859_1).contains(this.word)) {
				this.silent.incrementAndGet();
				return;
			}
			out.write(heard, 0, length);
		}
		speaker.close();
	}

	private static void start(Talk talk) {
		Thread thread = new Thread(() -> {
			try {
				talk.run();
			}
			catch (IOException ignored) {
				// The client or the server has closed the connection.
			}
		}, "mute-server");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		try {
			this.door.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private interface Talk {

		void run() throws IOException;

	}

}
