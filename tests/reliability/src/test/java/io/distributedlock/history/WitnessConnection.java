package io.distributedlock.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A client's connection to the witness: a line is a request, and gets a line. */
final class WitnessConnection {

	private final SocketChannel channel;

	private final Registers registers;

	private final LineFields fields = new LineFields(64);

	private ByteBuffer in = ByteBuffer.allocate(1024);

	WitnessConnection(SocketChannel channel, Registers registers) {
		this.channel = channel;
		this.registers = registers;
	}

	/**
	 * A client that is gone takes nothing back: the whole lines that it has sent count.
	 */
	void read() {
		try {
			if (!this.in.hasRemaining()) {
				this.in = ByteBuffer.wrap(Arrays.copyOf(this.in.array(), 2 * this.in.capacity()))
					.position(this.in.capacity());
			}
			if (this.channel.read(this.in) < 0) {
				this.channel.close();
				return;
			}
			answerLines();
		}
		catch (IOException ex) {
			closeQuietly();
		}
	}

	private void answerLines() throws IOException {
		byte[] bytes = this.in.array();
		int from = 0;
		for (int i = 0; i < this.in.position(); i++) {
			if (bytes[i] == '\n') {
				answer(this.registers.handle(this.fields.on(bytes, from, i)));
				from = i + 1;
			}
		}
		this.in.flip().position(from);
		this.in.compact();
	}

	private void answer(WitnessReply reply) throws IOException {
		ByteBuffer out = ByteBuffer.wrap(reply.toLine().getBytes(StandardCharsets.ISO_8859_1));
		while (out.hasRemaining()) {
			this.channel.write(out);
		}
	}

	private void closeQuietly() {
		try {
			this.channel.close();
		}
		catch (IOException ignored) {
			// The client is gone.
		}
	}

}
