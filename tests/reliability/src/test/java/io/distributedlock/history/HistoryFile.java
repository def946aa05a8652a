package io.distributedlock.history;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * The events of one file in order of time. Lines that are out of order by less than a
 * window are put right; a line without end, left by a killed process, is left out.
 */
final class HistoryFile implements Closeable {

	/** At the same time a belief ends before the next one begins: touching is allowed. */
	static final Comparator<Event> ORDER = Comparator.comparingLong(Event::t).thenComparingInt(HistoryFile::rank);

	private static final int WINDOW = 64;

	private final Path path;

	private final InputStream in;

	private final LineFields fields = new LineFields(4096);

	private final PriorityQueue<Event> window = new PriorityQueue<>(WINDOW + 1, ORDER);

	private byte[] buffer = new byte[1 << 16];

	private int from;

	private int to;

	private boolean ended;

	private long last = Long.MIN_VALUE;

	HistoryFile(Path path) {
		this.path = path;
		try {
			this.in = Files.newInputStream(path);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int rank(Event event) {
		if (event.phase() == Phase.INVOKE) {
			return 0;
		}
		return (event.op() == Op.LOST || event.op() == Op.NEMESIS) ? 1 : 2;
	}

	/** The next event without taking it, or {@code null} at the end. */
	Event peek() {
		while (!this.ended && this.window.size() < WINDOW) {
			readLine();
		}
		return this.window.peek();
	}

	Event take() {
		Event event = peek();
		if (event.t() < this.last) {
			throw new IllegalStateException("%s is out of order: %s".formatted(this.path, event));
		}
		this.last = event.t();
		return this.window.poll();
	}

	private void readLine() {
		for (int i = this.from;; i++) {
			if (i == this.to) {
				int scanned = i - this.from;
				if (!fill()) {
					this.ended = true;
					return;
				}
				i = this.from + scanned;
			}
			if (this.buffer[i] == '\n') {
				this.window.add(EventLine.parse(this.fields.on(this.buffer, this.from, i)));
				this.from = i + 1;
				return;
			}
		}
	}

	private boolean fill() {
		System.arraycopy(this.buffer, this.from, this.buffer, 0, this.to - this.from);
		this.to -= this.from;
		this.from = 0;
		if (this.to == this.buffer.length) {
			this.buffer = Arrays.copyOf(this.buffer, 2 * this.buffer.length);
		}
		try {
			int read = this.in.read(this.buffer, this.to, this.buffer.length - this.to);
			this.to += Math.max(0, read);
			return read > 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.in.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
