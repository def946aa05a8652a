package io.distributedlock.history;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Sizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A long history is read and checked as a stream. */
class LongHistoryTests {

	@TempDir
	Path directory;

	@Test
	void historyWhenLongIsCheckedWithLittleMemory() throws IOException {
		try (HistoryFiles files = new HistoryFiles(this.directory)) {
			LongHistory.generate(Sizes.share(70_000), files::write);
		}
		HistoryChecker checker = new HistoryChecker(Script.BOUNDS);
		AtomicInteger events = new AtomicInteger();
		AtomicInteger retained = new AtomicInteger();
		HistoryReader.of(this.directory).forEach((event) -> {
			checker.accept(event);
			if (events.incrementAndGet() % 1000 == 0) {
				retained.accumulateAndGet(checker.retained(), Math::max);
			}
		});
		Report report = checker.finish();
		assertThat(report.violationCount()).as(report.toString()).isZero();
		assertThat(report.events()).isGreaterThan(Sizes.share(1_000_000));
		assertThat(report.acquisitions()).isGreaterThan(Sizes.share(100_000));
		assertThat(report.renewals()).isPositive();
		assertThat(report.lossesTold()).isPositive();
		assertThat(report.faults()).containsKeys(NemesisKind.KILL, NemesisKind.LOSS);
		// Some for each of 50 locks, and all that has ended within the last 70 ms.
		assertThat(retained).hasValueLessThan(2000);
	}

	/** The files of all processes, written in a hurry. */
	private static final class HistoryFiles implements AutoCloseable {

		private final Path directory;

		private final Map<String, BufferedWriter> writers = new HashMap<>();

		private HistoryFiles(Path directory) {
			this.directory = directory;
		}

		private void write(Event event) {
			try {
				BufferedWriter writer = this.writers.get(event.proc());
				if (writer == null) {
					writer = Files.newBufferedWriter(this.directory.resolve(event.proc() + Recorder.SUFFIX));
					this.writers.put(event.proc(), writer);
				}
				writer.write(EventLine.write(event));
				writer.write('\n');
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public void close() throws IOException {
			for (BufferedWriter writer : this.writers.values()) {
				writer.close();
			}
		}

	}

}
