package io.distributedlock.redis;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Objects;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.redis.driver.RedisDriver;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisNode;

/**
 * Looks at the ports of servers to which no connection could be made, and that did not
 * say why: a server with TLS hangs up on a client without, and one without waits for the
 * rest of what it takes for a command. Blocks.
 */
final class TlsProbe {

	private static final int PATIENCE_MILLIS = 500;

	private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);

	/** Begins an alert of TLS. */
	private static final int ALERT = 21;

	/** Begins an answer to a handshake. */
	private static final int HANDSHAKE = 22;

	private TlsProbe() {
	}

	/** What is wrong with TLS at all servers that are connected to first, if anything. */
	static @Nullable String look(RedisDriver driver) {
		String first = null;
		for (RedisNode server : driver.target().entries()) {
			String seen = driver.target().tls() ? lookWithTls(driver, server) : lookWithoutTls(server);
			if (seen == null) {
				return null;
			}
			first = (first != null) ? first : seen;
		}
		return first;
	}

	private static @Nullable String lookWithoutTls(RedisNode server) {
		int answer = firstByte(server, hello(server));
		return (answer == ALERT || answer == HANDSHAKE) ? "LOCKTLS The server answers a handshake" : null;
	}

	private static @Nullable String lookWithTls(RedisDriver driver, RedisNode server) {
		int answer = firstByte(server, PING);
		SSLSocketFactory handshakes = driver.handshakes();
		return (answer == '+' || answer == '-') ? "LOCKNOTLS The server answers without a handshake"
				: (handshakes != null) ? refusal(handshakes, server) : null;
	}

	private static int firstByte(RedisNode server, byte[] question) {
		try (Socket socket = open(new Socket(), server)) {
			socket.getOutputStream().write(question);
			return socket.getInputStream().read();
		}
		catch (IOException ex) {
			return -1;
		}
	}

	private static Socket open(Socket socket, RedisNode server) throws IOException {
		socket.setSoTimeout(PATIENCE_MILLIS);
		socket.connect(new InetSocketAddress(server.getHost(), port(server)), PATIENCE_MILLIS);
		return socket;
	}

	/** The first message of a client with TLS, nothing where this JVM has none. */
	private static byte[] hello(RedisNode server) {
		try {
			SSLEngine engine = SSLContext.getDefault().createSSLEngine(server.getHost(), port(server));
			engine.setUseClientMode(true);
			ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
			engine.wrap(ByteBuffer.allocate(0), hello);
			return Arrays.copyOf(hello.array(), hello.position());
		}
		catch (SSLException | NoSuchAlgorithmException ex) {
			return new byte[0];
		}
	}

	/** What the server says of this client. */
	private static @Nullable String refusal(SSLSocketFactory handshakes, RedisNode server) {
		try (Socket socket = handshakes.createSocket(open(new Listening(), server), server.getHost(), port(server),
				true)) {
			socket.getInputStream().read();
			return null;
		}
		catch (IOException ex) {
			return Unsuitability.saidIn(ex);
		}
	}

	private static int port(RedisNode server) {
		return Objects.requireNonNull(server.getPort());
	}

	/** Goes on when the server has hung up, so that its last words are read. */
	private static final class Listening extends Socket {

		@Override
		public OutputStream getOutputStream() throws IOException {
			return new FilterOutputStream(super.getOutputStream()) {

				@Override
				public void write(byte[] bytes, int from, int count) throws IOException {
					try {
						this.out.write(bytes, from, count);
					}
					catch (SocketException ignored) {
						// What was written before has been answered.
					}
				}

			};
		}

	}

}
