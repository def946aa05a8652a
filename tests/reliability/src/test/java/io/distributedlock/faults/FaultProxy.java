package io.distributedlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and a server, mostly Redis, and disturbs their connections as
 * networks do. It forwards whole messages, in order. A requested fault applies to
 * everything that reaches the proxy after the call has returned, until {@link #pass()}.
 * One thread. Thread-safe.
 * <p>
 * TCP loses nothing in the middle: a connection from which something was dropped would
 * give later replies to the wrong commands. Such a connection therefore stays silent in
 * that direction, and is reset by {@link #pass()}.
 */
public final class FaultProxy implements AutoCloseable {

	private final ProxyLoop loop;

	/** Set if whole messages of Redis are told apart. */
	private final boolean splits;

	/** The fields from here on are confined to the loop. */
	private final Set<Direction> dropping = EnumSet.noneOf(Direction.class);

	private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);

	private final List<ReplyFault> faults = new ArrayList<>();

	/** After how long without a message a connection is closed; zero for never. */
	private Duration idle = Duration.ZERO;

	private boolean droppingPushes;

	private boolean refusing;

	/**
	 * Listen on a free port and pass everything.
	 * @param host where the server is
	 * @param port where the server is
	 */
	public FaultProxy(String host, int port) {
		this(host, port, true);
	}

	private FaultProxy(String host, int port, boolean splits) {
		this.splits = splits;
		try {
			this.loop = new ProxyLoop(this, host, port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Listen for connections of any protocol, and take what arrives at a time for a
	 * message: a request or a reply that is small.
	 * @param host where the server is
	 * @param port where the server is
	 * @return the proxy
	 */
	public static FaultProxy ofBytes(String host, int port) {
		return new FaultProxy(host, port, false);
	}

	/**
	 * Where clients connect to.
	 * @return the host
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * Where clients connect to.
	 * @return the port
	 */
	public int port() {
		return this.loop.port();
	}

	/**
	 * End all faults: held replies go out, connections that have lost something are
	 * reset.
	 */
	public void pass() {
		this.loop.perform(() -> {
			this.dropping.clear();
			this.delays.clear();
			this.idle = Duration.ZERO;
			this.droppingPushes = false;
			this.refusing = false;
			this.faults.clear();
			this.loop.connections().forEach(ProxyConnection::heal);
		});
	}

	/**
	 * Swallow the messages in a direction: commands do not arrive, or they are applied
	 * and their replies are lost.
	 * @param direction the direction
	 */
	public void drop(Direction direction) {
		this.loop.perform(() -> this.dropping.add(direction));
	}

	/** Swallow both directions, also of new connections, as behind a dead router. */
	public void blackHole() {
		this.loop.perform(() -> this.dropping.addAll(EnumSet.allOf(Direction.class)));
	}

	/** Swallow both directions of the connections there are; new ones pass. */
	public void silence() {
		this.loop.perform(() -> this.loop.connections().forEach(ProxyConnection::silence));
	}

	/** Swallow the messages of subscriptions and nothing else. */
	public void dropPushes() {
		this.loop.perform(() -> this.droppingPushes = true);
	}

	/**
	 * Deliver later, in the same order.
	 * @param direction the direction
	 * @param delay how much later
	 */
	public void delay(Direction direction, Duration delay) {
		this.loop.perform(() -> this.delays.put(direction, delay));
	}

	/**
	 * Close connections on which nothing goes for a while, as servers and firewalls do.
	 * @param idle for how long
	 */
	public void closeIdle(Duration idle) {
		this.loop.perform(() -> this.idle = idle);
	}

	/** Reset all connections, and new ones as soon as they are opened. */
	public void refuse() {
		this.loop.perform(() -> {
			this.refusing = true;
			this.loop.resetAll();
		});
	}

	/** Reset the connections there are. */
	public void reset() {
		this.loop.perform(this.loop::resetAll);
	}

	/**
	 * Deliver only the first bytes of the next reply that is meant and close its
	 * connection.
	 * @param meant which reply
	 * @param bytes how many bytes; 0 loses all of the reply
	 * @return tells when it has happened
	 */
	public ReplyFault cutNextReply(Predicate<Exchange> meant, int bytes) {
		return add(ReplyFault.Kind.CUT, meant, bytes);
	}

	/**
	 * Swallow the next reply that is meant and all that follows it on its connection,
	 * which stays open.
	 * @param meant which reply
	 * @return tells when it has happened
	 */
	public ReplyFault dropNextReply(Predicate<Exchange> meant) {
		return add(ReplyFault.Kind.DROP, meant, 0);
	}

	/**
	 * Keep the next reply that is meant, and behind it all that follows on its
	 * connection, until it is released.
	 * @param meant which reply
	 * @return tells when it has happened, and releases
	 */
	public ReplyFault holdNextReply(Predicate<Exchange> meant) {
		return add(ReplyFault.Kind.HOLD, meant, 0);
	}

	private ReplyFault add(ReplyFault.Kind kind, Predicate<Exchange> meant, int bytes) {
		ReplyFault fault = new ReplyFault(kind, meant, bytes, () -> this.loop.perform(() -> {
		}));
		this.loop.perform(() -> this.faults.add(fault));
		return fault;
	}

	/**
	 * How many connections of clients are open.
	 * @return the number
	 */
	public int connections() {
		int[] count = { 0 };
		this.loop.perform(() -> count[0] = this.loop.connections().size());
		return count[0];
	}

	/**
	 * How many commands have come to which no reply has come.
	 * @return the number
	 */
	public int unanswered() {
		int[] count = { 0 };
		this.loop.perform(() -> this.loop.connections().forEach((each) -> count[0] += each.unanswered()));
		return count[0];
	}

	@Override
	public void close() {
		this.loop.close();
	}

	/** Return a consumer that cuts the bytes of one side into messages. */
	Consumer<ByteBuffer> splitter(Consumer<byte[]> messages) {
		return this.splits ? new RespSplitter(messages)::feed : (bytes) -> {
			byte[] message = new byte[bytes.remaining()];
			bytes.get(message);
			messages.accept(message);
		};
	}

	boolean isDropping(Direction direction) {
		return this.dropping.contains(direction);
	}

	boolean isDroppingPushes() {
		return this.droppingPushes;
	}

	boolean isRefusing() {
		return this.refusing;
	}

	long delayNanos(Direction direction) {
		return this.delays.getOrDefault(direction, Duration.ZERO).toNanos();
	}

	long idleNanos() {
		return this.idle.toNanos();
	}

	/** Take the fault that strikes a reply, if there is one. */
	@Nullable ReplyFault strike(Exchange exchange) {
		for (Iterator<ReplyFault> each = this.faults.iterator(); each.hasNext();) {
			ReplyFault fault = each.next();
			if (fault.strikes(exchange)) {
				each.remove();
				return fault;
			}
		}
		return null;
	}

	/** The directions of messages. */
	public enum Direction {

		/** Commands. */
		TO_SERVER,

		/** Replies, and messages that the server sends unasked. */
		TO_CLIENT

	}

}
