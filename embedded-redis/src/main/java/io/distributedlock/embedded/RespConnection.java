package io.distributedlock.embedded;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A client for the part of Redis' protocol that administration needs. Not thread-safe.
 */
final class RespConnection implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Socket socket;

	private final InputStream input;

	private final String server;

	private RespConnection(Socket socket, String server) throws IOException {
		this.socket = socket;
		this.input = new BufferedInputStream(socket.getInputStream());
		this.server = server;
	}

	static RespConnection open(RedisServer server) {
		return open(server, PATIENCE);
	}

	static RespConnection open(RedisServer server, Duration patience) {
		Socket socket = new Socket();
		try {
			socket.setSoTimeout((int) patience.toMillis());
			socket.connect(new InetSocketAddress(server.host(), server.port()), (int) patience.toMillis());
			return new RespConnection(socket, server.description());
		}
		catch (IOException ex) {
			closeQuietly(socket);
			throw new IllegalStateException("Cannot connect to " + server.description(), ex);
		}
	}

	Object ask(String... command) {
		try {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			bytes.writeBytes(utf8("*" + command.length + "\r\n"));
			for (String word : command) {
				bytes.writeBytes(utf8("$" + utf8(word).length + "\r\n" + word + "\r\n"));
			}
			this.socket.getOutputStream().write(bytes.toByteArray());
			return answer();
		}
		catch (IOException ex) {
			throw new IllegalStateException("No answer to " + command[0] + " from " + this.server, ex);
		}
	}

	private Object answer() throws IOException {
		String line = line();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case ':' -> Long.valueOf(rest);
			case '$' -> bulk(Integer.parseInt(rest));
			case '*' -> list(Integer.parseInt(rest));
			default -> throw new IllegalStateException(rest);
		};
	}

	private String bulk(int length) throws IOException {
		if (length < 0) {
			return "";
		}
		byte[] bytes = this.input.readNBytes(length + 2);
		return new String(bytes, 0, length, StandardCharsets.UTF_8);
	}

	/** Read all elements; they may be lists, too. */
	private List<Object> list(int length) throws IOException {
		List<Object> values = new ArrayList<>();
		for (int i = 0; i < length; i++) {
			values.add(answer());
		}
		return values;
	}

	private String line() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int next = this.input.read(); next != '\n'; next = this.input.read()) {
			if (next < 0) {
				throw new EOFException("The connection ended");
			}
			if (next != '\r') {
				bytes.write(next);
			}
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		closeQuietly(this.socket);
	}

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ignored) {
			// The connection is of no use any more.
		}
	}

}
