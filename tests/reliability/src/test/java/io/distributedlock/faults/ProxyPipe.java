package io.distributedlock.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A direction of a connection: the bytes read from one side and not yet written to the
 * other. Confined to the loop.
 */
final class ProxyPipe {

	private final SocketChannel source;

	private final SocketChannel sink;

	private final Consumer<ByteBuffer> splitter;

	private final ByteBuffer buffer = ByteBuffer.allocate(65536);

	private final Deque<Item> queue = new ArrayDeque<>();

	private boolean silent;

	private boolean ended;

	private long lastDue = System.nanoTime();

	/**
	 * Create a pipe.
	 * @param splitter is given all bytes as they come
	 */
	ProxyPipe(SocketChannel source, SocketChannel sink, Consumer<ByteBuffer> splitter) {
		this.source = source;
		this.sink = sink;
		this.splitter = splitter;
	}

	/** Nothing goes through any more, and neither side is told. */
	void silence() {
		this.silent = true;
	}

	boolean isSilent() {
		return this.silent;
	}

	/** Return whether the last byte was written, after which none follows. */
	boolean hasEnded() {
		return this.ended;
	}

	/** False at the end of the source. */
	boolean read() throws IOException {
		this.buffer.clear();
		if (this.source.read(this.buffer) < 0) {
			return false;
		}
		this.splitter.accept(this.buffer.flip());
		return true;
	}

	/** Add the good-bye. */
	void addEnd() {
		this.queue.add(new Item(ByteBuffer.allocate(0), this.lastDue, null, true));
	}

	void add(byte[] message, long delayNanos) {
		this.queue.add(new Item(ByteBuffer.wrap(message), due(delayNanos), null, false));
	}

	void addHeld(byte[] message, ReplyFault hold, long delayNanos) {
		this.queue.add(new Item(ByteBuffer.wrap(message), due(delayNanos), hold, false));
	}

	/** Add the beginning of a message, after which the connection breaks. */
	void addLast(byte[] message, int bytes, long delayNanos) {
		this.queue.add(new Item(ByteBuffer.wrap(message, 0, bytes), due(delayNanos), null, true));
	}

	/** Never before the items that were added earlier. */
	private long due(long delayNanos) {
		long due = System.nanoTime() + delayNanos;
		if (due - this.lastDue < 0) {
			due = this.lastDue;
		}
		this.lastDue = due;
		return due;
	}

	void letGo() {
		this.queue.forEach((item) -> {
			if (item.hold != null) {
				item.hold.letGo();
			}
		});
	}

	/**
	 * Write the items that are due.
	 * @return whether the other side takes no more at present
	 */
	boolean flush(long now) throws IOException {
		for (Item item = this.queue.peek(); item != null && !this.ended
				&& item.isReady(now); item = this.queue.peek()) {
			this.sink.write(item.bytes);
			if (item.bytes.hasRemaining()) {
				return true;
			}
			this.queue.remove();
			this.ended |= item.last;
		}
		return false;
	}

	/**
	 * The time until the next message may pass; endless if it does not wait for a time.
	 */
	long nanosUntilDue(long now) {
		Item item = this.queue.peek();
		return (item == null || item.isHeld() || item.isReady(now)) ? Long.MAX_VALUE : item.due - now;
	}

	private record Item(ByteBuffer bytes, long due, @Nullable ReplyFault hold, boolean last) {

		boolean isHeld() {
			return this.hold != null && !this.hold.isReleased();
		}

		boolean isReady(long now) {
			return !isHeld() && this.due - now <= 0;
		}

	}

}
