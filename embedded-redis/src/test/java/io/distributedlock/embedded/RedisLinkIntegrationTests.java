package io.distributedlock.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

class RedisLinkIntegrationTests {

	private static RedisServer server;

	private static RedisLink link;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		link = RedisLink.to(server.host(), server.port());
	}

	@AfterAll
	static void stop() {
		link.close();
		server.close();
	}

	@Test
	void linkWhenCutEndsConnectionsUntilItIsRestored() throws IOException {
		try (Socket client = connect()) {
			assertThat(ping(client)).isEqualTo("+PONG");
			link.cut();
			assertThat(isEnded(client)).isTrue();
		}
		try (Socket refused = connect()) {
			assertThat(isEnded(refused)).isTrue();
		}
		link.restore();
		try (Socket client = connect()) {
			assertThat(ping(client)).isEqualTo("+PONG");
		}
	}

	@Test
	void linkWhenServerIsDownEndsConnections() throws IOException {
		server.kill();
		try (Socket client = connect()) {
			assertThat(isEnded(client)).isTrue();
		}
		server.start();
		try (Socket client = connect()) {
			assertThat(ping(client)).isEqualTo("+PONG");
		}
	}

	@Test
	void linkWhenItHoldsATextStandsStillUntilItIsRestored() throws IOException {
		try (Socket client = connect()) {
			assertThat(ping(client)).isEqualTo("+PONG");
			link.hold("PING");
			client.setSoTimeout(100);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> ping(client));
			link.restore();
			client.setSoTimeout(10_000);
			assertThat(pong(client)).isEqualTo("+PONG");
		}
	}

	@Test
	void linkWhenClosedAcceptsNothing() {
		RedisLink closed = RedisLink.to(server.host(), server.port());
		closed.close();
		assertThatIOException().isThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), closed.port()).close());
	}

	private static Socket connect() throws IOException {
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), link.port());
		socket.setSoTimeout(10_000);
		return socket;
	}

	private static String ping(Socket client) throws IOException {
		client.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
		return pong(client);
	}

	private static String pong(Socket client) throws IOException {
		InputStream answer = client.getInputStream();
		return new String(answer.readNBytes("+PONG\r\n".length()), StandardCharsets.US_ASCII).strip();
	}

	/** Closed or reset, as the system likes. */
	private static boolean isEnded(Socket client) throws IOException {
		try {
			return client.getInputStream().read() == -1;
		}
		catch (SocketException ex) {
			return true;
		}
	}

}
