package io.distributedlock.embedded;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link RedisServers} with whatever server there is.
 */
class RedisServersIntegrationTests {

	private final Properties properties = (Properties) System.getProperties().clone();

	private RedisServer server;

	@AfterEach
	void closeServer() {
		System.setProperties(this.properties);
		if (this.server != null) {
			this.server.close();
		}
	}

	@Test
	void startWhenBinaryIsForcedUsesTheBundledOne() {
		System.setProperty(RedisServers.MODE_PROPERTY, "binary");
		this.server = RedisServers.start();
		assertThat(this.server.description()).contains("bundled");
	}

	@Test
	void startWhenBinaryIsNamedUsesIt() {
		String path = ServerBinary.bundled().orElseThrow().path().toString();
		System.setProperty(RedisServers.BINARY_PROPERTY, path);
		System.setProperty(RedisServers.MODE_PROPERTY, "auto");
		this.server = RedisServers.start();
		assertThat(this.server.description()).contains(path, "7.0.15");
	}

	@Test
	void serverWhenStartedAnswers() throws IOException {
		this.server = RedisServers.start();
		assertThat(ask("PING")).isEqualTo("+PONG");
		assertThat(this.server.isRunning()).isTrue();
		assertThat(this.server.description()).contains(Integer.toString(this.server.port()));
	}

	@Test
	void serverWhenStartedTakesSettings() throws IOException {
		this.server = RedisServers.start("--maxmemory", "2mb");
		assertThat(ask("CONFIG GET maxmemory")).isEqualTo("*2 $9 maxmemory $7 2097152");
		assertThat(ask("DEBUG JMAP")).doesNotContain("not allowed");
	}

	@Test
	void serverWhenKilledRestartsEmptyOnTheSamePort() throws IOException {
		this.server = RedisServers.start();
		int port = this.server.port();
		ask("SET a 1");
		this.server.kill();
		assertThat(this.server.isRunning()).isFalse();
		assertThatIOException().isThrownBy(() -> ask("PING"));
		this.server.start();
		assertThat(this.server.port()).isEqualTo(port);
		assertThat(ask("GET a")).isEqualTo("$-1");
	}

	@Test
	void serverWhenKilledKeepsWhatIsOnDisk() throws IOException {
		this.server = RedisServers.start("--appendonly", "yes", "--appendfsync", "always");
		ask("SET a 1");
		this.server.kill();
		this.server.start();
		assertThat(ask("GET a")).isEqualTo("$1 1");
		assertThatIllegalStateException().isThrownBy(this.server::deleteData);
		this.server.kill();
		this.server.deleteData();
		this.server.start();
		assertThat(ask("GET a")).isEqualTo("$-1");
	}

	@Test
	void serverWhenPausedIsSilentUntilItGoesOn() throws IOException {
		this.server = RedisServers.start();
		try (Socket socket = connect(200)) {
			this.server.pause();
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(this.server.isRunning()).isTrue();
			Awaitility.await().atMost(Duration.ofMinutes(4)).pollDelay(Duration.ZERO).until(() -> catchTimeout(socket));
			this.server.resume();
			socket.setSoTimeout(10_000);
			assertThat(new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII)).isEqualTo("+PONG");
		}
	}

	@Test
	void serverWhenClosedCannotStartAgain() {
		this.server = RedisServers.start();
		this.server.close();
		this.server.close();
		assertThat(this.server.isRunning()).isFalse();
		assertThatIllegalStateException().isThrownBy(this.server::start);
	}

	@Test
	void serverWhenSettingIsWrongSaysWhatTheServerSaid() {
		assertThatIllegalStateException().isThrownBy(() -> RedisServers.start("--no-such-setting", "1"))
			.withMessageContaining("no-such-setting");
	}

	private static boolean catchTimeout(Socket socket) throws IOException {
		try {
			socket.getInputStream().read();
			throw new AssertionError("A paused server answered");
		}
		catch (SocketTimeoutException ex) {
			return true;
		}
	}

	private Socket connect(int timeoutMillis) throws IOException {
		Socket socket = new Socket(this.server.host(), this.server.port());
		socket.setSoTimeout(timeoutMillis);
		return socket;
	}

	private String ask(String command) throws IOException {
		try (Socket socket = connect(10_000)) {
			socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			return answer.substring(0, answer.lastIndexOf("+OK")).strip().replace("\r\n", " ");
		}
	}

}
