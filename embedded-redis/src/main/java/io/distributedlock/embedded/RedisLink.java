package io.distributedlock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy between a client and a server, which can be cut while both live. Clients
 * connect to {@link #port()} on the loopback interface. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisLink implements AutoCloseable {

	private static final long ACCEPTOR_MILLIS = 5_000;

	private final String host;

	private final int serverPort;

	private final ServerSocket listener;

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	private final Thread acceptor;

	private final AtomicInteger accepted = new AtomicInteger();

	private volatile boolean cut;

	private volatile Duration late = Duration.ZERO;

	private volatile CompletableFuture<Integer> lateAnswer = new CompletableFuture<>();

	/** The text of requests that stay here, or empty for none. */
	private volatile String held = "";

	private volatile CompletableFuture<Void> restored = new CompletableFuture<>();

	private RedisLink(String host, int serverPort, ServerSocket listener) {
		this.host = host;
		this.serverPort = serverPort;
		this.listener = listener;
		this.acceptor = thread("redis-link-" + listener.getLocalPort(), this::accept);
	}

	/**
	 * Open a link to a server.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @return a link that accepts connections
	 */
	public static RedisLink to(String host, int port) {
		try {
			RedisLink link = new RedisLink(host, port, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
			link.acceptor.start();
			return link;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The port for clients.
	 * @return a port on the loopback interface
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/** Close all connections, and each new one at once, until {@link #restore()}. */
	public void cut() {
		this.cut = true;
		closeAll();
	}

	/**
	 * Hold back requests with a text, and all after them on their connections, until
	 * {@link #restore()}: to the client the server stands still.
	 * @param text a part of a request that clients send in one piece
	 */
	public void hold(String text) {
		this.restored = new CompletableFuture<>();
		this.held = text;
	}

	/** Let new connections through again, and what was held back. */
	public void restore() {
		this.cut = false;
		this.held = "";
		this.restored.complete(null);
	}

	/**
	 * Delay the first answer on each new connection, as a server or client with little
	 * processor time does.
	 * @param late the delay; zero for none
	 * @return a future that completes when the first delayed answer goes on, with the
	 * number of connections that clients have opened by then
	 */
	public CompletableFuture<Integer> answerLate(Duration late) {
		this.lateAnswer = new CompletableFuture<>();
		this.late = late;
		return this.lateAnswer;
	}

	private void accept() throws IOException {
		while (!this.listener.isClosed()) {
			Socket client = this.listener.accept();
			this.accepted.incrementAndGet();
			if (this.cut) {
				client.close();
			}
			else {
				connect(client);
			}
		}
	}

	private void connect(Socket client) throws IOException {
		Socket server;
		try {
			server = new Socket(this.host, this.serverPort);
		}
		catch (IOException ignored) {
			// The server is down: the client loses its connection, as without the link.
			client.close();
			return;
		}
		this.open.add(client);
		this.open.add(server);
		Duration wait = this.late;
		thread("redis-link-request", () -> request(client, server)).start();
		thread("redis-link-answer", () -> answer(server, client, wait)).start();
		if (this.cut) {
			closeAll();
		}
	}

	private void request(Socket from, Socket to) throws IOException {
		try (from; to) {
			to.setTcpNoDelay(true);
			byte[] bytes = new byte[8192];
			for (int read; (read = from.getInputStream().read(bytes)) >= 0;) {
				if (!this.held.isEmpty()
						&& new String(bytes, 0, read, StandardCharsets.ISO_8859_1).contains(this.held)) {
					this.restored.join();
				}
				to.getOutputStream().write(bytes, 0, read);
			}
		}
		finally {
			this.open.remove(from);
			this.open.remove(to);
		}
	}

	private void answer(Socket from, Socket to, Duration wait) throws IOException {
		try (from; to) {
			to.setTcpNoDelay(true);
			if (!wait.isZero()) {
				int first = from.getInputStream().read();
				pause(wait);
				this.lateAnswer.complete(this.accepted.get());
				if (first >= 0) {
					to.getOutputStream().write(first);
				}
			}
			from.getInputStream().transferTo(to.getOutputStream());
		}
		finally {
			this.open.remove(from);
			this.open.remove(to);
		}
	}

	private static void pause(Duration wait) {
		try {
			TimeUnit.NANOSECONDS.sleep(wait.toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static Thread thread(String name, Transfer transfer) {
		Thread thread = new Thread(() -> run(transfer), name);
		thread.setDaemon(true);
		return thread;
	}

	private static void run(Transfer transfer) {
		try {
			transfer.run();
		}
		catch (IOException ignored) {
			// An end of the link was closed, which closes the other one.
		}
	}

	private void closeAll() {
		this.open.forEach(RedisLink::closeQuietly);
	}

	private static void closeQuietly(AutoCloseable socket) {
		try {
			socket.close();
		}
		catch (Exception ignored) {
			// A socket that fails to close counts as closed.
		}
	}

	@Override
	public void close() {
		this.cut = true;
		this.restored.complete(null);
		closeQuietly(this.listener);
		awaitEnd(this.acceptor);
		closeAll();
	}

	/**
	 * Wait until the acceptor ends: the system accepts connections while it waits for
	 * one.
	 */
	private static void awaitEnd(Thread thread) {
		try {
			thread.join(ACCEPTOR_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Moves bytes until an end is closed. */
	private interface Transfer {

		void run() throws IOException;

	}

}
