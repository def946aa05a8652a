package io.distributedlock.faults;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.FaultProxy.Direction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Each fault of the proxy, seen through plain sockets.
 */
class FaultProxyIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static RedisServer server;

	private final List<Socket> sockets = new ArrayList<>();

	private FaultProxy proxy;

	private Socket direct;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void open() throws IOException {
		this.proxy = new FaultProxy(server.host(), server.port());
		this.direct = remember(new Socket(server.host(), server.port()));
		send(this.direct, "FLUSHALL");
		assertThat(read(this.direct, 5)).isEqualTo("+OK\r\n");
	}

	@AfterEach
	void close() throws IOException {
		this.proxy.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	@Test
	void passForwardsInBothDirectionsHoweverLong() throws IOException {
		Socket client = connect();
		String large = "x".repeat(1_000_000);
		send(client, "*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$1000000\r\n" + large);
		assertThat(read(client, 5)).isEqualTo("+OK\r\n");
		send(client, "GET large");
		assertThat(read(client, 10 + large.length() + 2)).isEqualTo("$1000000\r\n" + large + "\r\n");
	}

	@Test
	void droppedReplyIsOfACommandThatWasApplied() throws IOException {
		Socket client = connect();
		this.proxy.drop(Direction.TO_CLIENT);
		send(client, "SET a 1");
		awaitDirect("GET a", "$1\r\n1\r\n");
		assertSilent(client);
	}

	@Test
	void droppedCommandIsNotApplied() throws IOException {
		Socket client = connect();
		this.proxy.drop(Direction.TO_SERVER);
		send(client, "SET a 1");
		assertSilent(client);
		assertThat(askDirect("GET a", 5)).isEqualTo("$-1\r\n");
	}

	@Test
	void connectionThatHasLostSomethingIsResetByPass() throws IOException {
		Socket lossy = connect();
		Socket whole = connect();
		ReplyFault drop = this.proxy.dropNextReply(Exchange.commandHas("SET"));
		send(lossy, "SET a 1");
		drop.await(PATIENCE);
		send(lossy, "PING");
		assertSilent(lossy);
		assertAnswers(whole);
		this.proxy.pass();
		assertBroken(lossy);
		assertAnswers(whole);
	}

	@Test
	void blackHoleAcceptsAndSwallows() throws IOException {
		Socket old = connect();
		this.proxy.blackHole();
		send(old, "SET a 1");
		Socket young = connect();
		send(young, "SET a 1");
		assertSilent(old);
		assertSilent(young);
		assertThat(askDirect("EXISTS a", 4)).isEqualTo(":0\r\n");
		this.proxy.pass();
		assertBroken(old);
		assertBroken(young);
		assertAnswers(connect());
	}

	@Test
	void blackHoleHidesThatTheOtherSideHasGone() throws IOException {
		Socket client = connect();
		assertAnswers(client);
		this.proxy.blackHole();
		send(this.direct, "CLIENT KILL TYPE normal SKIPME yes");
		assertThat(read(this.direct, 4)).isEqualTo(":1\r\n");
		assertSilent(client);
		assertThat(this.proxy.connections()).isEqualTo(1);
	}

	@Test
	void delayKeepsTheOrder() throws IOException {
		Socket client = connect();
		assertAnswers(client);
		this.proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(400));
		long start = System.nanoTime();
		send(client, "ECHO a");
		send(client, "SET b 1");
		awaitDirect("GET b", "$1\r\n1\r\n");
		await().until(() -> this.proxy.unanswered() == 0);
		this.proxy.delay(Direction.TO_CLIENT, Duration.ZERO);
		send(client, "ECHO c");
		assertThat(read(client, 19)).isEqualTo("$1\r\na\r\n+OK\r\n$1\r\nc\r\n");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(350));
	}

	@Test
	void delayedCommandIsAppliedLater() throws IOException {
		Socket client = connect();
		this.proxy.delay(Direction.TO_SERVER, Duration.ofMillis(400));
		long start = System.nanoTime();
		send(client, "SET a 1");
		awaitDirect("GET a", "$1\r\n1\r\n");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(350));
	}

	@Test
	void refusedConnectionsAreResetUntilPassedAgain() throws IOException {
		Socket client = connect();
		assertAnswers(client);
		this.proxy.refuse();
		assertBroken(client);
		assertBroken(connect());
		this.proxy.pass();
		assertAnswers(connect());
	}

	@Test
	void resetBreaksWhatThereIsAndNothingElse() throws IOException {
		Socket client = connect();
		assertAnswers(client);
		this.proxy.reset();
		assertBroken(client);
		assertAnswers(connect());
	}

	@Test
	void cutReplyEndsAfterTheByte() throws IOException {
		Socket client = connect();
		ReplyFault cut = this.proxy.cutNextReply(Exchange.commandHas("ECHO b"), 5);
		send(client, "ECHO a");
		send(client, "ECHO b");
		assertThat(read(client, 12)).isEqualTo("$1\r\na\r\n$1\r\nb");
		assertBroken(client);
		assertThat(cut.await(PATIENCE).reply()).isEqualTo("$1\r\nb\r\n");
		assertAnswers(connect());
	}

	/** The replies behind it in the same pipeline used to follow the cut. */
	@Test
	void cutReplyIsTheLastEvenIfMoreAreReady() throws IOException {
		Socket client = connect();
		this.proxy.cutNextReply(Exchange.commandHas("ECHO a"), 5);
		this.proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(50));
		send(client, "ECHO a\r\nECHO b");
		assertThat(read(client, 5)).isEqualTo("$1\r\na");
		assertBroken(client);
	}

	@Test
	void forgottenConnectionIsSilentAndANewOnePasses() throws IOException {
		Socket old = connect();
		assertAnswers(old);
		this.proxy.silence();
		send(old, "PING");
		assertSilent(old);
		Socket young = connect();
		assertAnswers(young);
		this.proxy.pass();
		assertBroken(old);
		assertAnswers(young);
	}

	@Test
	void idleConnectionIsClosedAndABusyOneIsNot() throws IOException {
		Socket idle = connect();
		Socket waiting = connect();
		send(waiting, "BLPOP list 0");
		await().until(() -> this.proxy.unanswered() == 1);
		this.proxy.closeIdle(Duration.ofMillis(50));
		assertBroken(idle);
		assertSilent(waiting);
		assertThat(askDirect("RPUSH list a", 4)).isEqualTo(":1\r\n");
		assertThat(read(waiting, 21)).isEqualTo("*2\r\n$4\r\nlist\r\n$1\r\na\r\n");
		assertBroken(waiting);
		this.proxy.pass();
		assertSilent(connect());
	}

	@Test
	void heldReplyMakesTheRestWait() throws IOException {
		Socket client = connect();
		ReplyFault held = this.proxy.holdNextReply(Exchange.replyHas("\r\nb\r\n"));
		for (String text : List.of("a", "b", "c")) {
			send(client, "ECHO " + text);
		}
		assertThat(read(client, 7)).isEqualTo("$1\r\na\r\n");
		assertThat(held.await(PATIENCE).command().trim()).isEqualTo("ECHO b");
		assertSilent(client);
		held.release();
		assertThat(read(client, 14)).isEqualTo("$1\r\nb\r\n$1\r\nc\r\n");
	}

	@Test
	void passLetsAHeldReplyGo() throws IOException {
		Socket client = connect();
		ReplyFault held = this.proxy.holdNextReply((any) -> true);
		send(client, "PING");
		held.await(PATIENCE);
		this.proxy.pass();
		assertThat(read(client, 7)).isEqualTo("+PONG\r\n");
	}

	@Test
	void droppedPushesAreOnlyMessages() throws IOException {
		Socket client = connect();
		send(client, "SUBSCRIBE news");
		read(client, "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n".length());
		this.proxy.dropPushes();
		assertThat(askDirect("PUBLISH news lost", 4)).isEqualTo(":1\r\n");
		assertSilent(client);
		this.proxy.pass();
		assertThat(askDirect("PUBLISH news told", 4)).isEqualTo(":1\r\n");
		assertThat(read(client, 37)).endsWith("told\r\n");
	}

	@Test
	void closeEndsConnectionsAndThread() throws IOException {
		Socket client = connect();
		assertAnswers(client);
		this.proxy.close();
		assertBroken(client);
		assertThatExceptionOfType(IOException.class).isThrownBy(this::connect);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.proxy::pass);
	}

	private Socket connect() throws IOException {
		return remember(new Socket(this.proxy.host(), this.proxy.port()));
	}

	private Socket remember(Socket socket) throws IOException {
		socket.setSoTimeout((int) PATIENCE.toMillis());
		this.sockets.add(socket);
		return socket;
	}

	private static void send(Socket socket, String command) throws IOException {
		socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
	}

	private static String read(Socket socket, int bytes) throws IOException {
		return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
	}

	private String askDirect(String command, int bytes) throws IOException {
		send(this.direct, command);
		return read(this.direct, bytes);
	}

	private void awaitDirect(String command, String answer) {
		await().until(() -> {
			send(this.direct, command);
			String beginning = read(this.direct, 5);
			return beginning.startsWith("$-1") ? beginning.equals(answer)
					: answer.equals(beginning + read(this.direct, answer.length() - 5));
		});
	}

	private static void assertAnswers(Socket socket) throws IOException {
		send(socket, "PING");
		assertThat(read(socket, 7)).isEqualTo("+PONG\r\n");
	}

	/** Bytes that were not dropped would come within a millisecond. */
	private static void assertSilent(Socket socket) throws IOException {
		socket.setSoTimeout(150);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> socket.getInputStream().read());
		socket.setSoTimeout((int) PATIENCE.toMillis());
	}

	/** End of stream, or a reset. */
	private static void assertBroken(Socket socket) {
		InputStream input;
		try {
			input = socket.getInputStream();
			assertThat(input.read()).isEqualTo(-1);
		}
		catch (SocketTimeoutException ex) {
			throw new AssertionError("The connection is still open", ex);
		}
		catch (IOException expected) {
			// A reset.
		}
	}

}
