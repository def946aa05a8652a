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
 * Looks at the ports of servers to which there is no connection yet, without the driver.
 * Shows mistakes in TLS, of which the driver is told nothing: a server with TLS hangs up
 * on a client without, and one without waits for the rest of what it takes for a command.
 * Blocks.
 */
final class PortProbe {

	private static final int PATIENCE_MILLIS = 2_000;

	private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);

	/** The first message of a client with TLS 1.2 that knows three cipher suites. */
	private static final byte[] HELLO = HexFormat.of()
		.parseHex("16030100310100002d0303" + "00".repeat(32) + "000006c02fc02b009c0100");

	/** Begins an alert of TLS. */
	private static final int ALERT = 21;

	/** Begins an answer to a handshake. */
	private static final int HANDSHAKE = 22;

	private PortProbe() {
	}

	/**
	 * Whether a server that is alone says anything. A Sentinel or a node of a cluster may
	 * answer where the server of the locks does not.
	 */
	static boolean isResponding(RedisTarget target) {
		return !target.address().isEmpty() && firstByte(target.entries().get(0), target.tls() ? HELLO : PING) >= 0;
	}

	/** What is wrong with TLS at all servers that are connected to first, if anything. */
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
