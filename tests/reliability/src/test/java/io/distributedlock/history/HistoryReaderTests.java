package io.distributedlock.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The files of many processes become one sequence. */
class HistoryReaderTests {

	@TempDir
	Path directory;

	@Test
	void filesWhenInterleavedAreMerged() throws IOException {
		write("a", 1, 2, 7, 8, 20);
		write("b", 3, 4, 5, 21);
		write("c");
		write("d", 6);
		assertThat(read()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 20L, 21L);
	}

	@Test
	void manyEventsWhenMergedAreAllThere() throws IOException {
		write("a", LongStream.range(0, 5000).map((t) -> 3 * t).toArray());
		write("b", LongStream.range(0, 5000).map((t) -> 3 * t + 1).toArray());
		write("c", LongStream.range(0, 5000).map((t) -> 3 * t + 2).toArray());
		assertThat(read()).isEqualTo(LongStream.range(0, 15_000).boxed().toList());
	}

	@Test
	void linesWhenALittleOutOfOrderArePutRight() throws IOException {
		write("a", 2, 1, 4, 3, 6, 5);
		write("b", 7, 0);
		assertThat(read()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
	}

	@Test
	void linesWhenFarOutOfOrderAreRefused() throws IOException {
		write("a", LongStream.concat(LongStream.range(1, 1000), LongStream.of(0)).toArray());
		assertThatIllegalStateException().isThrownBy(this::read).withMessageContaining("a.history");
	}

	@Test
	void endsAndBeginsWhenAtTheSameTimeComeInThatOrder() throws IOException {
		write("a", List.of(Event.of(Op.ACQUIRE, Phase.OK, "k").at(5)));
		write("b", List.of(Event.of(Op.LOST, Phase.OK, "k").at(5)));
		write("c", List.of(Event.of(Op.RELEASE, Phase.INVOKE, "k").at(5)));
		List<Op> order = new ArrayList<>();
		HistoryReader.of(this.directory).forEach((event) -> order.add(event.op()));
		assertThat(order).containsExactly(Op.RELEASE, Op.LOST, Op.ACQUIRE);
	}

	@Test
	void keyWhenHugeIsRead() throws IOException {
		String key = "x".repeat(1 << 20);
		write("a", List.of(Event.of(Op.ACQUIRE, Phase.OK, key).at(5)));
		List<String> keys = new ArrayList<>();
		HistoryReader.of(this.directory).forEach((event) -> keys.add(event.key()));
		assertThat(keys).containsExactly(key);
	}

	@Test
	void linesWhenNotOfARecorderAreRefused() throws IOException {
		Files.writeString(this.directory.resolve("a" + Recorder.SUFFIX), "hello\n");
		assertThatIllegalArgumentException().isThrownBy(this::read);
	}

	private void write(String proc, long... times) throws IOException {
		write(proc, LongStream.of(times).mapToObj((t) -> Event.of(Op.ENTER, Phase.OK, "k").at(t)).toList());
	}

	private void write(String proc, List<Event> events) throws IOException {
		Files.writeString(this.directory.resolve(proc + Recorder.SUFFIX),
				events.stream().map((event) -> EventLine.write(event) + "\n").collect(Collectors.joining()));
	}

	private List<Long> read() {
		List<Long> times = new ArrayList<>();
		HistoryReader.of(this.directory).forEach((event) -> times.add(event.t()));
		return times;
	}

}
