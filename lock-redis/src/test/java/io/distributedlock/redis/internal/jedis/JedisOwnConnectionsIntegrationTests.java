package io.distributedlock.redis.internal.jedis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.DriverUnderTest;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Connections of {@link JedisOwnConnections} to a server, once they are stopped. */
class JedisOwnConnectionsIntegrationTests {

	/** Longer than anything takes here. */
	private static final Duration LONG = Duration.ofMinutes(2);

	/** A checkpoint finds no open file. */
	@Test
	void connectionThatIsBeingOpenedWhenTheyAreStoppedIsNotLeft() throws IOException {
		try (RedisServer server = RedisServers.start(); Gate gate = new Gate(server)) {
			JedisConnectionFactory application = new JedisConnectionFactory(
					new RedisStandaloneConfiguration("127.0.0.1", gate.port()),
					JedisClientConfiguration.builder().readTimeout(LONG).build());
			JedisOwnConnections own = JedisOwnConnections.of(application, LONG);
			JedisCallerLane lane = Objects.requireNonNull(own.lane());
			RedisConnection first = own.getConnection();
			RedisClient client = (RedisClient) first.getNativeConnection();
			first.close();
			CompletableFuture<Void> opening = CompletableFuture.runAsync(lane::open);
			assertThat(gate.reached).succeedsWithin(Patience.CEILING);
			own.stop();
			assertThat(opening).isNotDone();
			gate.open();
			assertThat(opening).failsWithin(Patience.CEILING);
			Awaitility.await().until(() -> DriverUnderTest.connections(server) == 0);
			// The pool is still there: no collection of garbage has closed the
			// connection.
			assertThat(client.getPool().isClosed()).isTrue();
		}
	}

	/** The way of one connection to a server. No answer passes before it is opened. */
	private static final class Gate implements AutoCloseable {

		/** Completes when an answer is there. */
		private final CompletableFuture<Void> reached = new CompletableFuture<>();

		private final CompletableFuture<Void> opened = new CompletableFuture<>();

		private final RedisServer server;

		private final ServerSocket door;

		Gate(RedisServer server) throws IOException {
			this.server = server;
			this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			start(this::connect);
		}

		int port() {
			return this.door.getLocalPort();
		}

		void open() {
			this.opened.complete(null);
		}

		private void connect() throws IOException {
			try (Socket client = this.door.accept();
					Socket speaker = new Socket(this.server.host(), this.server.port())) {
				start(() -> pass(client, speaker));
				int first = speaker.getInputStream().read();
				this.reached.complete(null);
				this.opened.join();
				client.getOutputStream().write(first);
				speaker.getInputStream().transferTo(client.getOutputStream());
			}
		}

		private static void pass(Socket from, Socket to) throws IOException {
			try (from; to) {
				from.getInputStream().transferTo(to.getOutputStream());
			}
		}

		private static void start(Passage passage) {
			Thread thread = new Thread(() -> {
				try {
					passage.run();
				}
				catch (IOException ignored) {
					// Either the client or the server has closed its connection.
				}
			}, "gate");
			thread.setDaemon(true);
			thread.start();
		}

		@Override
		public void close() throws IOException {
			open();
			this.door.close();
		}

	}

	private interface Passage {

		void run() throws IOException;

	}

}
