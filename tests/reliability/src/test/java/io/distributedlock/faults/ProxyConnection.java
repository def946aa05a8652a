package io.distributedlock.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Pattern;

import io.distributedlock.faults.FaultProxy.Direction;

/**
 * A client's connection to the proxy and the one behind it to the server. Confined to the
 * loop.
 */
final class ProxyConnection {

	/** Their answers come as messages of the subscription. */
	private static final Pattern SUBSCRIPTION = Pattern.compile("\\A\\*\\d+\r\n\\$\\d+\r\n[PS]?(UN)?SUBSCRIBE\r\n.*",
			Pattern.DOTALL);

	/**
	 * Messages that the server sends unasked, in either version of the protocol, or by
	 * PostgreSQL.
	 */
	private static final Pattern PUSH = Pattern
		.compile("\\A(>|\\*\\d+\r\n\\$\\d+\r\n([ps]?message|[ps]?(un)?subscribe)\r\n|A\0\0).*", Pattern.DOTALL);

	private static final Pattern PUBLISHED = Pattern.compile("\\A([>*]\\d+\r\n\\$\\d+\r\n[ps]?message\r\n|A\0\0).*",
			Pattern.DOTALL);

	private final FaultProxy proxy;

	private final ProxyLoop loop;

	private final SocketChannel client;

	private final SocketChannel server;

	private final SelectionKey clientKey;

	private final SelectionKey serverKey;

	private final ProxyPipe toServer;

	private final ProxyPipe toClient;

	private final Deque<String> unanswered = new ArrayDeque<>();

	private long lastMessage = System.nanoTime();

	private boolean closed;

	ProxyConnection(FaultProxy proxy, ProxyLoop loop, SocketChannel client, InetSocketAddress server)
			throws IOException {
		this.proxy = proxy;
		this.loop = loop;
		this.client = client;
		this.server = SocketChannel.open();
		client.configureBlocking(false);
		this.server.configureBlocking(false);
		this.toServer = new ProxyPipe(client, this.server, proxy.splitter(this::command));
		this.toClient = new ProxyPipe(this.server, client, proxy.splitter(this::reply));
		this.clientKey = loop.register(client, SelectionKey.OP_READ, this);
		this.serverKey = loop.register(this.server, SelectionKey.OP_CONNECT, this);
		try {
			this.server.connect(server);
		}
		catch (IOException ex) {
			reset();
			throw ex;
		}
	}

	void ready(SelectionKey key) {
		try {
			if (key.isConnectable()) {
				this.server.finishConnect();
				key.interestOps(SelectionKey.OP_READ);
			}
			else if (key.isReadable()) {
				read(key, (key == this.clientKey) ? this.toServer : this.toClient);
			}
		}
		catch (IOException | RuntimeException ex) {
			// It broke, or does not speak the protocol.
			reset();
		}
	}

	private void read(SelectionKey key, ProxyPipe pipe) throws IOException {
		if (pipe.read()) {
			return;
		}
		key.interestOps(key.interestOps() & ~SelectionKey.OP_READ);
		// A good-bye is lost like everything else.
		Direction direction = (pipe == this.toServer) ? Direction.TO_SERVER : Direction.TO_CLIENT;
		if (pipe.isSilent() || this.proxy.isDropping(direction)) {
			pipe.silence();
		}
		else {
			pipe.addEnd();
		}
	}

	private void command(byte[] message) {
		this.lastMessage = System.nanoTime();
		if (this.proxy.isDropping(Direction.TO_SERVER)) {
			this.toServer.silence();
		}
		if (this.toServer.isSilent()) {
			return;
		}
		String text = Exchange.text(message);
		if (!SUBSCRIPTION.matcher(text.substring(0, Math.min(64, text.length())).toUpperCase(Locale.ROOT)).matches()) {
			this.unanswered.add(text);
		}
		this.toServer.add(message, this.proxy.delayNanos(Direction.TO_SERVER));
	}

	private void reply(byte[] message) {
		this.lastMessage = System.nanoTime();
		String text = Exchange.text(message);
		boolean push = PUSH.matcher(text).matches();
		String command = push ? null : this.unanswered.poll();
		Exchange exchange = new Exchange((command != null) ? command : "", text);
		if (this.proxy.isDroppingPushes() && PUBLISHED.matcher(text).matches()) {
			return;
		}
		if (this.proxy.isDropping(Direction.TO_CLIENT)) {
			this.toClient.silence();
		}
		if (!this.toClient.isSilent()) {
			deliver(exchange, message);
		}
	}

	private void deliver(Exchange exchange, byte[] message) {
		long delay = this.proxy.delayNanos(Direction.TO_CLIENT);
		ReplyFault fault = this.proxy.strike(exchange);
		if (fault == null) {
			this.toClient.add(message, delay);
			return;
		}
		switch (fault.kind()) {
			case CUT -> this.toClient.addLast(message, Math.min(fault.bytes(), message.length), delay);
			case DROP -> this.toClient.silence();
			case HOLD -> this.toClient.addHeld(message, fault, delay);
		}
		fault.happen(exchange);
	}

	void flush() {
		try {
			boolean more = flush(this.toServer, this.serverKey) & flush(this.toClient, this.clientKey);
			if (!more || nanosUntilIdle(System.nanoTime()) <= 0) {
				close();
			}
		}
		catch (IOException ex) {
			reset();
		}
	}

	/** False when the pipe has come to its end. */
	private boolean flush(ProxyPipe pipe, SelectionKey sink) throws IOException {
		if (this.closed || (sink == this.serverKey && !this.server.isConnected())) {
			return true;
		}
		boolean blocked = pipe.flush(System.nanoTime());
		int operations = (sink.interestOps() & ~SelectionKey.OP_WRITE) | (blocked ? SelectionKey.OP_WRITE : 0);
		sink.interestOps(operations);
		return !pipe.hasEnded();
	}

	void silence() {
		this.toServer.silence();
		this.toClient.silence();
	}

	/** Every fault is over. */
	void heal() {
		this.toClient.letGo();
		if (this.toServer.isSilent() || this.toClient.isSilent()) {
			reset();
		}
	}

	int unanswered() {
		return this.unanswered.size();
	}

	long nanosUntilDue(long now) {
		return Math.min(nanosUntilIdle(now),
				Math.min(this.toServer.nanosUntilDue(now), this.toClient.nanosUntilDue(now)));
	}

	/**
	 * The time until the connection is closed as idle; endless while an answer is due.
	 */
	private long nanosUntilIdle(long now) {
		long idle = this.proxy.idleNanos();
		return (idle == 0 || unanswered() > 0) ? Long.MAX_VALUE : this.lastMessage + idle - now;
	}

	private void close() {
		this.closed = true;
		ProxyLoop.closeQuietly(this.client);
		ProxyLoop.closeQuietly(this.server);
		this.loop.forget(this);
	}

	void reset() {
		this.closed = true;
		ProxyLoop.abort(this.client);
		ProxyLoop.abort(this.server);
		this.loop.forget(this);
	}

}
