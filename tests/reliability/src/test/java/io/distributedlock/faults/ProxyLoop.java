package io.distributedlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The one thread of a {@link FaultProxy}, and its connections.
 */
final class ProxyLoop implements Runnable {

	private final FaultProxy proxy;

	private final InetSocketAddress server;

	private final Selector selector;

	private final ServerSocketChannel listener;

	private final int port;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final Set<ProxyConnection> connections = new LinkedHashSet<>();

	private final Thread thread = new Thread(this, "fault-proxy");

	private volatile boolean closed;

	ProxyLoop(FaultProxy proxy, String host, int port) throws IOException {
		this.proxy = proxy;
		this.server = new InetSocketAddress(host, port);
		this.selector = Selector.open();
		this.listener = ServerSocketChannel.open();
		this.listener.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
		this.port = ((InetSocketAddress) this.listener.getLocalAddress()).getPort();
		this.listener.configureBlocking(false);
		this.listener.register(this.selector, SelectionKey.OP_ACCEPT);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	int port() {
		return this.port;
	}

	/** A copy, since a connection that ends leaves. */
	List<ProxyConnection> connections() {
		return List.copyOf(this.connections);
	}

	void resetAll() {
		connections().forEach(ProxyConnection::reset);
	}

	void forget(ProxyConnection connection) {
		this.connections.remove(connection);
	}

	/** Do something on the thread and wait until it is done. */
	void perform(Runnable task) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.tasks.add(() -> {
			try {
				task.run();
				done.complete(null);
			}
			catch (Throwable ex) {
				done.completeExceptionally(ex);
			}
		});
		this.selector.wakeup();
		if (this.closed) {
			throw new IllegalStateException("The proxy is closed");
		}
		done.join();
	}

	@Override
	public void run() {
		try {
			while (!this.closed) {
				this.selector.select(pauseMillis());
				performTasks();
				serve();
				connections().forEach(ProxyConnection::flush);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.closed = true;
			resetAll();
			closeQuietly(this.listener);
			closeQuietly(this.selector);
			performTasks();
		}
	}

	private void performTasks() {
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			task.run();
		}
	}

	private void serve() {
		List<SelectionKey> ready = new ArrayList<>(this.selector.selectedKeys());
		this.selector.selectedKeys().clear();
		for (SelectionKey key : ready) {
			if (key.isValid() && key.isAcceptable()) {
				accept();
			}
			else if (key.isValid()) {
				((ProxyConnection) key.attachment()).ready(key);
			}
		}
	}

	/**
	 * The time until the next message of a delayed connection is due; 0 waits for an
	 * event.
	 */
	private long pauseMillis() {
		long now = System.nanoTime();
		long pause = Long.MAX_VALUE;
		for (ProxyConnection connection : this.connections) {
			pause = Math.min(pause, connection.nanosUntilDue(now));
		}
		return (pause == Long.MAX_VALUE) ? 0 : Math.max(1, (pause + 999_999) / 1_000_000);
	}

	private void accept() {
		try {
			SocketChannel client = this.listener.accept();
			if (client == null) {
				return;
			}
			if (this.proxy.isRefusing()) {
				abort(client);
				return;
			}
			this.connections.add(new ProxyConnection(this.proxy, this, client, this.server));
		}
		catch (IOException ignored) {
			// The client has gone, or there is no server to connect to.
		}
	}

	SelectionKey register(SocketChannel channel, int operations, ProxyConnection connection) throws IOException {
		return channel.register(this.selector, operations, connection);
	}

	/** Close with a reset instead of a good-bye. */
	static void abort(SocketChannel channel) {
		try {
			channel.setOption(StandardSocketOptions.SO_LINGER, 0);
		}
		catch (IOException ignored) {
			// Closed by the other side.
		}
		closeQuietly(channel);
	}

	static void closeQuietly(AutoCloseable closeable) {
		try {
			closeable.close();
		}
		catch (Exception ignored) {
			// It is gone in any case.
		}
	}

	void close() {
		this.closed = true;
		this.selector.wakeup();
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
