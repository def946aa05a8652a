package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A server that falls silent on a connection for good when it hears a word there, and
 * keeps the connection open.
 */
final class MuteServer implements AutoCloseable {

	private final String word;

	private final Door door;

	private final AtomicInteger silent = new AtomicInteger();

	/**
	 * Open a mute server.
	 * @param server the server that answers until the word is heard
	 * @param word the word after which nothing is answered; with an empty one nothing
	 * ever is
	 */
	MuteServer(RedisServer server, String word) {
		this.word = word;
		this.door = new Door(server, this::listen);
	}

	RedisStandaloneConfiguration address() {
		return this.door.address();
	}

	/** On how many connections nothing is answered any more. */
	int silent() {
		return this.silent.get();
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

	@Override
	public void close() {
		this.door.close();
	}

}
