package io.distributedlock.faults;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Cuts the bytes of one side of a Redis connection into whole messages (RESP 2 and 3, and
 * lines). Not thread-safe.
 */
final class RespSplitter {

	private final Consumer<byte[]> messages;

	private byte[] pending = new byte[4096];

	private int size;

	/** Up to where the first message has been read. */
	private int position;

	/** How many values of the first message are still missing. */
	private long missing = 1;

	RespSplitter(Consumer<byte[]> messages) {
		this.messages = messages;
	}

	void feed(ByteBuffer bytes) {
		int count = bytes.remaining();
		if (this.size + count > this.pending.length) {
			this.pending = Arrays.copyOf(this.pending, Math.max(this.pending.length * 2, this.size + count));
		}
		bytes.get(this.pending, this.size, count);
		this.size += count;
		while (readValue()) {
			if (this.missing == 0) {
				emit();
			}
		}
	}

	private void emit() {
		byte[] message = Arrays.copyOf(this.pending, this.position);
		System.arraycopy(this.pending, this.position, this.pending, 0, this.size - this.position);
		this.size -= this.position;
		this.position = 0;
		this.missing = 1;
		this.messages.accept(message);
	}

	/**
	 * Read one value, or the head of one that has others; false if it is not all there.
	 */
	private boolean readValue() {
		int end = endOfLine();
		if (end < 0) {
			return false;
		}
		switch (this.pending[this.position]) {
			case '*', '~', '>' -> this.missing += count(end) - 1;
			case '%' -> this.missing += 2 * count(end) - 1;
			case '|' -> this.missing += 2 * count(end);
			case '$', '=', '!' -> {
				int after = end + ((length(end) < 0) ? 0 : length(end) + 2);
				if (after > this.size) {
					return false;
				}
				this.missing--;
				end = after;
			}
			default -> this.missing--;
		}
		this.position = end;
		return true;
	}

	/** The place after the line that begins at the position, or -1. */
	private int endOfLine() {
		for (int i = this.position; i < this.size; i++) {
			if (this.pending[i] == '\n') {
				return i + 1;
			}
		}
		return -1;
	}

	private int count(int end) {
		return Math.max(0, length(end));
	}

	private int length(int end) {
		return Integer.parseInt(
				new String(this.pending, this.position + 1, end - this.position - 3, StandardCharsets.ISO_8859_1));
	}

}
