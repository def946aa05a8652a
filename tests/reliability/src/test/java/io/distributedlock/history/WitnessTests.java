package io.distributedlock.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The requests that the witness accepts and refuses, and the history that it writes. */
class WitnessTests {

	private static final String KEY = "order:42 \ud83d\ude00\n";

	@TempDir
	Path directory;

	private Path clients;

	private Witness witness;

	private Recorder recorder;

	private WitnessClient client;

	@BeforeEach
	void start() throws IOException {
		this.clients = Files.createDirectory(this.directory.resolve("clients"));
		this.witness = Witness.start(this.directory);
		this.recorder = Recorder.open(this.clients, "p");
		this.client = new WitnessClient(this.witness.port());
	}

	@AfterEach
	void stop() throws IOException {
		this.client.close();
		this.recorder.close();
		this.witness.close();
	}

	private Hold hold(long token) {
		return this.recorder.acquire(KEY).ok(token, Long.MAX_VALUE);
	}

	@Test
	void fencedRegisterWhenTokenIsStaleRefuses() throws IOException {
		assertThat(this.client.write(KEY, hold(5), 0, 10)).isEqualTo(new WitnessReply(1, true, 10));
		assertThat(this.client.write(KEY, hold(6), 10, 11)).isEqualTo(new WitnessReply(2, true, 11));
		assertThat(this.client.write(KEY, hold(5), 11, 12)).isEqualTo(new WitnessReply(3, false, 11));
		assertThat(this.client.write(KEY, hold(6), 11, 13)).isEqualTo(new WitnessReply(4, true, 13));
		assertThat(this.client.read(KEY)).isEqualTo(13);
		assertThat(this.client.read("other")).isZero();
		assertThat(report().violationCount()).isZero();
	}

	@Test
	void fencedRegisterWhenNewerHolderHasEnteredRefusesTheOlder() throws IOException {
		Hold older = hold(5);
		Hold newer = hold(6);
		assertThat(this.client.enter(KEY, older).accepted()).isTrue();
		assertThat(this.client.enter(KEY, newer).accepted()).isTrue();
		assertThat(this.client.write(KEY, older, 0, 1).accepted()).isFalse();
		assertThat(this.client.enter(KEY, older).accepted()).isFalse();
		assertThat(this.client.write(KEY, newer, 0, 1).accepted()).isTrue();
		assertThat(this.client.exit(KEY, newer).value()).isEqualTo(1);
		assertThat(report().violationCount()).isZero();
	}

	@Test
	void overlapWhenTwoAreInsideIsWrittenDown() throws IOException {
		Hold first = hold(5);
		Hold second = hold(6);
		this.client.enter(KEY, first);
		this.client.exit(KEY, first);
		this.client.enter(KEY, second);
		this.client.enter(KEY, first);
		assertThat(history())
			.extracting((event) -> event.thread() + " " + event.op() + " " + event.phase() + " " + event.request() + " "
					+ event.token() + " " + event.outcome())
			.containsExactly("1 ENTER OK p-1 5 ", "2 EXIT OK p-1 5 ", "3 ENTER OK p-2 6 ",
					"4 ENTER FAIL p-1 5 overlap");
		assertThat(history()).allMatch((event) -> event.proc().equals(Witness.PROC) && event.key().equals(KEY));
	}

	@Test
	void unfencedRegisterWhenWrittenByAStaleWriterLosesAnUpdate() throws IOException {
		long read = this.client.readUnfenced(KEY);
		this.client.writeUnfenced(KEY, hold(6), read, read + 1);
		assertThat(this.client.writeUnfenced(KEY, hold(5), read, read + 1).accepted()).isTrue();
		assertThat(this.client.readUnfenced(KEY)).isEqualTo(1);
		Report report = report();
		assertThat(report.lostUpdates()).isEqualTo(1);
		assertThat(report.violationCount()).isZero();
	}

	@Test
	void requestsWhenOfManyConnectionsGetOneOrder() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<List<Long>>> done = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				done.add(threads.submit(() -> write(500)));
			}
			List<Long> sequences = new ArrayList<>();
			for (Future<List<Long>> future : done) {
				assertThat(future.get()).isSorted();
				sequences.addAll(future.get());
			}
			assertThat(sequences).containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 4000).boxed().toList());
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(history()).extracting((event) -> Long.parseLong(event.thread()))
			.isEqualTo(LongStream.rangeClosed(1, 4000).boxed().toList());
	}

	private List<Long> write(int times) throws IOException {
		List<Long> sequences = new ArrayList<>();
		try (WitnessClient own = new WitnessClient(this.witness.port())) {
			Hold hold = hold(1);
			for (int n = 0; n < times; n++) {
				sequences.add(own.write(KEY, hold, n, n + 1).sequence());
			}
		}
		return sequences;
	}

	@Test
	void processWhenStartedServesAndEndsWithItsInput() throws Exception {
		Path own = Files.createDirectory(this.directory.resolve("own"));
		Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				Witness.class.getName(), own.toString())
			.start();
		try (BufferedReader out = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			int port = Integer.parseInt(out.readLine().substring("port ".length()));
			try (WitnessClient client = new WitnessClient(port)) {
				assertThat(client.write(KEY, hold(5), 0, 10).accepted()).isTrue();
			}
			process.getOutputStream().close();
			assertThat(process.waitFor()).isZero();
		}
		finally {
			process.destroyForcibly();
		}
		List<Event> events = new ArrayList<>();
		HistoryReader.of(own).forEach(events::add);
		assertThat(events).singleElement().satisfies((event) -> assertThat(event.val()).isEqualTo(10));
	}

	private List<Event> history() {
		List<Event> events = new ArrayList<>();
		HistoryReader.of(this.directory).forEach(events::add);
		return events;
	}

	private Report report() {
		HistoryChecker checker = new HistoryChecker(Script.BOUNDS);
		HistoryReader.of(this.directory).forEach(checker::accept);
		return checker.finish();
	}

}
