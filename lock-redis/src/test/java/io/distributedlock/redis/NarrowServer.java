package io.distributedlock.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
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

import io.distributedlock.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A server that refuses commands of many words, as some proxies do. The answers stay in
 * the order of the commands.
 */
final class NarrowServer implements AutoCloseable {

	private static final String SAID = "return redis.error_reply('ERR Protocol error: too big mbulk count string')";

	private static final byte[] REFUSAL = bytes(
			"*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n".formatted(SAID.length(), SAID));

	private final RedisServer server;

	private final int most;

	private final ServerSocket door;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	/**
	 * Open one.
	 * @param server the server that answers
	 * @param most how many words a command may have
	 */
	NarrowServer(RedisServer server, int most) {
		this.server = server;
		this.most = most;
		try {
			this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	RedisStandaloneConfiguration address() {
		RedisStandaloneConfiguration address = LeastPrivilege.at(this.server);
		address.setHostName(this.door.getInetAddress().getHostAddress());
		address.setPort(this.door.getLocalPort());
		return address;
	}

	private void accept() throws IOException {
		while (!this.door.isClosed()) {
			Socket client = this.door.accept();
			Socket server = new Socket(this.server.host(), this.server.port());
			this.sockets.addAll(List.of(client, server));
			start(() -> forward(new DataInputStream(new BufferedInputStream(client.getInputStream())),
					server.getOutputStream()));
			start(() -> server.getInputStream().transferTo(client.getOutputStream()));
		}
	}

	private void forward(DataInputStream in, OutputStream out) throws IOException {
		while (true) {
			ByteArrayOutputStream command = new ByteArrayOutputStream();
			int words = header(in, command);
			for (int i = 0; i < words; i++) {
				byte[] word = new byte[header(in, command) + 2];
				in.readFully(word);
				command.write(word);
			}
			out.write((words > this.most) ? REFUSAL : command.toByteArray());
		}
	}

	/** The number in a line. */
	private static int header(InputStream in, OutputStream copy) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = in.read(); next != '\n'; next = in.read()) {
			if (next < 0) {
				throw new EOFException();
			}
			line.append((char) next);
		}
		copy.write(bytes(line + "\n"));
		return Integer.parseInt(line.substring(1).trim());
	}

	private static void start(Talk talk) {
		Thread thread = new Thread(() -> {
			try {
				talk.run();
			}
			catch (IOException ignored) {
				// Either side has closed its connection.
			}
		}, "narrow-server");
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
