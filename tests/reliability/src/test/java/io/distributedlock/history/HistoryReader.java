package io.distributedlock.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The events of all processes as one sequence in order of time, read as they are used.
 */
public final class HistoryReader {

	private final List<Path> files;

	private HistoryReader(List<Path> files) {
		this.files = files;
	}

	/**
	 * Read the events that the processes of a run have recorded.
	 * @param directory where their files are
	 * @return a reader of all of them
	 */
	public static HistoryReader of(Path directory) {
		try (Stream<Path> files = Files.list(directory)) {
			return new HistoryReader(
					files.filter((file) -> file.toString().endsWith(Recorder.SUFFIX)).sorted().toList());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Pass each event on. A torn last line is left out.
	 * @param consumer takes them in order of time
	 * @throws IllegalStateException if a file is out of order
	 */
	public void forEach(Consumer<? super Event> consumer) {
		List<HistoryFile> open = this.files.stream().map(HistoryFile::new).toList();
		try {
			merge(open, consumer);
		}
		finally {
			open.forEach(HistoryFile::close);
		}
	}

	private static void merge(List<HistoryFile> open, Consumer<? super Event> consumer) {
		PriorityQueue<HistoryFile> next = new PriorityQueue<>(Math.max(1, open.size()),
				Comparator.comparing(HistoryFile::peek, HistoryFile.ORDER));
		open.stream().filter((file) -> file.peek() != null).forEach(next::add);
		for (HistoryFile file = next.poll(); file != null; file = next.poll()) {
			// Mostly one process goes on for a while.
			do {
				consumer.accept(file.take());
			}
			while (file.peek() != null
					&& (next.isEmpty() || HistoryFile.ORDER.compare(file.peek(), next.peek().peek()) <= 0));
			if (file.peek() != null) {
				next.add(file);
			}
		}
	}

}
