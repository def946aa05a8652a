package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The checks that notice a missing line of a script of which more than {@value #LATE}
 * others pass without it: they come first. Fewer than a tenth of all lines needed most of
 * the time for all. A row that is missing costs time and nothing else.
 */
final class LateChecks {

	/** A search that is longer says which row would have spared it. */
	static final int LATE = 20;

	static final List<Row> ROWS = read();

	private LateChecks() {
	}

	static Stream<String> of(String file, String line) {
		return ROWS.stream().filter((row) -> row.file.equals(file) && row.line.equals(line.strip())).map(Row::check);
	}

	private static List<Row> read() {
		try (InputStream rows = LateChecks.class.getResourceAsStream("late-checks.txt")) {
			return new String(Objects.requireNonNull(rows).readAllBytes(), StandardCharsets.UTF_8).lines()
				.map((row) -> row.split(" \\| "))
				.map((row) -> new Row(row[0], row[1], row[2]))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A line, and the check that notices that it is missing.
	 *
	 * @param file the script
	 * @param line the line, without the white space around it
	 * @param check the name of the check
	 */
	record Row(String file, String line, String check) {

		@Override
		public String toString() {
			return String.join(" | ", this.file, this.line, this.check);
		}

	}

}
