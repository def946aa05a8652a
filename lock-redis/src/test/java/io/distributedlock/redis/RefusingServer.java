package io.distributedlock.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.distributedlock.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A server that refuses some commands with errors of its own, as proxies and managed
 * servers do. The answers stay in the order of the commands.
 */
final class RefusingServer implements AutoCloseable {

	private final RedisServer server;

	private final Function<List<String>, String> refusal;

	private final Door door;

	/**
	 * Open one.
	 * @param server the server that answers
	 * @param refusal returns the error for a command, or {@code null} for none
	 */
	RefusingServer(RedisServer server, Function<List<String>, String> refusal) {
		this.server = server;
		this.refusal = refusal;
		this.door = new Door(server, this::forward);
	}

	/**
	 * A server that refuses long commands.
	 * @param most how many words a command may have
	 */
	static RefusingServer narrow(RedisServer server, int most) {
		return new RefusingServer(server,
				(words) -> (words.size() > most) ? "ERR Protocol error: too big mbulk count string" : null);
	}

	/** A server that refuses scripts. */
	static RefusingServer ofScripts(RedisServer server, String error) {
		return new RefusingServer(server, (words) -> words.get(0).startsWith("EVAL") ? error : null);
	}

	int port() {
		return this.door.port();
	}

	RedisStandaloneConfiguration anonymous() {
		return this.door.address();
	}

	RedisStandaloneConfiguration address() {
		RedisStandaloneConfiguration address = LeastPrivilege.at(this.server);
		address.setHostName(this.door.host());
		address.setPort(port());
		return address;
	}

	private void forward(Socket client, Socket behind) throws IOException {
		DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
		OutputStream out = behind.getOutputStream();
		while (true) {
			ByteArrayOutputStream command = new ByteArrayOutputStream();
			List<String> words = new ArrayList<>();
			int count = header(in, command);
			for (int i = 0; i < count; i++) {
				byte[] word = new byte[header(in, command) + 2];
				in.readFully(word);
				command.write(word);
				words.add(new String(word, 0, word.length - 2, StandardCharsets.ISO_8859_1));
			}
			String error = this.refusal.apply(words);
			out.write((error != null) ? refusing(error) : command.toByteArray());
		}
	}

	/** A command that is answered with the error. */
	private static byte[] refusing(String error) {
		String script = "return redis.error_reply([==[%s]==])".formatted(error);
		return bytes("*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n".formatted(script.length(), script));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
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

	@Override
	public void close() {
		this.door.close();
	}

}
