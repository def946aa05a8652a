package io.distributedlock.redis;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;

import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisTarget;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisNode;

/**
 * Probes the ports of servers without the driver, while there is no connection. Finds
 * mistakes in TLS that a driver does not see. A server with TLS hangs up on a client
 * without it. A server without TLS takes a handshake for a command and waits for the
 * rest. Blocks.
 */
final class PortProbe {

	private static final int PATIENCE_MILLIS = 2_000;

	private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);

	/** The first message of a client with TLS 1.2 that knows three cipher suites. */
	private static final byte[] HELLO = HexFormat.of()
		.parseHex("16030100310100002d0303" + "00".repeat(32) + "000006c02fc02b009c0100");

	/** First byte of a TLS alert. */
	private static final int ALERT = 21;

	/** First byte of an answer to a TLS handshake. */
	private static final int HANDSHAKE = 22;

	private PortProbe() {
	}

	/**
	 * Return whether a single server sends anything; {@code false} for Sentinels and
	 * clusters, where another server than that of the locks may answer.
	 */
	static boolean isResponding(RedisTarget target) {
		return !target.address().isEmpty() && firstByte(target.entries().get(0), target.tls() ? HELLO : PING) >= 0;
	}

	/**
	 * Return the mistake in TLS of the first server if all entries show one, else
	 * {@code null}.
	 */
	static @Nullable String mistakeInTls(RedisDriver driver) {
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
		int answer = firstByte(server, HELLO);
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

	/** Return the server's text if it refuses this client, else {@code null}. */
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

	/** Socket that ignores a hang-up while it writes, so that the last answer is read. */
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
						// The server has answered the bytes before these.
					}
				}

			};
		}

	}

}
