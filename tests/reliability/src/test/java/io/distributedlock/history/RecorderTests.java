package io.distributedlock.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.Thread.State;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Recorded events are there, whatever happens to the process. */
class RecorderTests {

	@TempDir
	Path directory;

	/** Records and says so, until it is killed. */
	public static void main(String[] args) {
		Recorder recorder = Recorder.open(Path.of(args[0]), "killed");
		for (int i = 1;; i++) {
			recorder.acquire("k");
			System.out.println(i);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "k", "a b", "tab\tline\nend\r", "back\\slash\\u0041", "nul\u0000",
			"\ud83d\ude00 \ud83d", "\udc00", "ä€\u007f", "*" })
	void eventWhenReadBackIsTheSame(String text) throws IOException {
		Event event = new Event(0, "p", text, text, Op.LOST, Phase.INFO, text, Long.MAX_VALUE, Mode.S, -3,
				Long.MIN_VALUE, -1, 1, text, text);
		long t;
		try (Recorder recorder = Recorder.open(this.directory, "p")) {
			t = recorder.append(event);
		}
		Event expected = text.isEmpty() ? event.by("p", Thread.currentThread().getName()) : event;
		assertThat(read()).containsExactly(expected.at(t));
	}

	@Test
	void historyOfHoldWhenReadBackTellsAll() throws IOException {
		try (Recorder recorder = Recorder.open(this.directory, "p");
				Fault fault = recorder.fault(NemesisKind.STOP, Event.ALL, "q", "kill -STOP")) {
			assertThat(fault).isNotNull();
			Hold hold = recorder.acquire("k").ok(7, 100);
			hold.enter();
			hold.reentering();
			hold.reentered(7, 200);
			hold.renewing();
			hold.renewed(300);
			hold.writing(1, 2);
			hold.written(1, 2, true);
			hold.exit();
			hold.lost("gone");
			hold.releasing();
			hold.notReleased("lost");
			Attempt attempt = recorder.acquire("s", Mode.S, 2);
			attempt.info("timeout");
			attempt.abandoning();
			attempt.abandoned();
		}
		assertThat(read())
			.extracting((event) -> event.op() + " " + event.phase() + " " + event.token() + " " + event.validUntil()
					+ " " + event.val() + " " + event.outcome() + event.error())
			.containsExactly("NEMESIS INVOKE 0 0 0 STOPkill -STOP", "ACQUIRE INVOKE 0 0 0 ", "ACQUIRE OK 7 100 0 ",
					"ENTER OK 7 0 0 ", "ACQUIRE INVOKE 7 0 0 ", "ACQUIRE OK 7 200 0 ", "RENEW INVOKE 7 0 0 ",
					"RENEW OK 7 300 0 ", "WRITE INVOKE 7 0 2 ", "WRITE OK 7 0 2 ", "EXIT OK 7 0 0 ",
					"LOST OK 7 0 0 gone", "RELEASE INVOKE 7 0 0 ", "RELEASE FAIL 7 0 0 lost", "ACQUIRE INVOKE 0 0 0 ",
					"ACQUIRE INFO 0 0 0 timeout", "ABANDON INVOKE 0 0 0 ", "ABANDON OK 0 0 0 ",
					"NEMESIS OK 0 0 0 STOPkill -STOP");
		assertThat(read()).extracting(Event::request).containsSubsequence("p-fault-1", "p-2", "p-3", "p-fault-1");
	}

	@Test
	void timesWhenManyThreadsRecordGrowFromLineToLine() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try (Recorder recorder = Recorder.open(this.directory, "p")) {
			List<Future<?>> done = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				done.add(threads.submit(() -> {
					for (int n = 0; n < 1000; n++) {
						recorder.acquire("k");
					}
				}));
			}
			for (Future<?> future : done) {
				future.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		List<Event> written = new ArrayList<>();
		for (String line : Files.readAllLines(file("p"))) {
			written.add(EventLine.parse(line));
		}
		assertThat(written).hasSize(8000);
		assertThat(written.stream().map(Event::request).distinct()).hasSize(8000);
		assertThat(written.stream().mapToLong(Event::t).toArray()).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void timesWhenTheClockStandsStillGrowAllTheSame() throws IOException {
		try (Recorder recorder = Recorder.open(this.directory, "p", () -> 5)) {
			recorder.acquire("k").fail("busy");
		}
		assertThat(read()).extracting(Event::t).containsExactly(5L, 6L);
	}

	@Test
	void faultsWhenNoticedAfterTheyWereOverAreReadInOrderOfTime() throws IOException {
		try (Recorder recorder = Recorder.open(this.directory, "p")) {
			recorder.append(List.of(new PastFault(NemesisKind.STOP, Event.ALL, "p", "slept", 10, 40),
					new PastFault(NemesisKind.OUTAGE, "k", Event.ALL, "away", 20, 30)));
		}
		assertThat(read())
			.extracting((event) -> "%d %s %s %s %s".formatted(event.t(), event.phase(), event.key(), event.thread(),
					event.outcome()))
			.containsExactly("10 INVOKE * p STOP", "20 INVOKE k * OUTAGE", "30 OK k * OUTAGE", "40 OK * p STOP");
		HistoryChecker checker = new HistoryChecker(Script.BOUNDS);
		HistoryReader.of(this.directory).forEach(checker::accept);
		assertThat(checker.finish().faults()).containsOnlyKeys(NemesisKind.STOP, NemesisKind.OUTAGE);
	}

	/**
	 * Therefore a thread that only wants to know the time sees a disk that stands still.
	 */
	@Test
	void timeWhileAnotherThreadRecordsIsWaitedFor() throws Exception {
		CountDownLatch recording = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		AtomicInteger times = new AtomicInteger();
		try (Recorder recorder = Recorder.open(this.directory, "p", () -> {
			if (times.incrementAndGet() == 1) {
				recording.countDown();
				await().until(() -> goOn.getCount() == 0);
			}
			return times.get();
		})) {
			CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> recorder.acquire("k"));
			recording.await();
			Thread asking = new Thread(recorder::time);
			asking.start();
			await().until(() -> asking.getState() == State.WAITING || asking.getState() == State.TERMINATED);
			assertThat(asking.getState()).isEqualTo(State.WAITING);
			goOn.countDown();
			writer.get();
			asking.join();
		}
	}

	@Test
	void threadWhenInterruptedRecordsAndStaysInterrupted() throws IOException {
		try (Recorder recorder = Recorder.open(this.directory, "p")) {
			Thread.currentThread().interrupt();
			recorder.acquire("k");
			assertThat(Thread.interrupted()).isTrue();
			recorder.acquire("k");
		}
		assertThat(read()).hasSize(2);
	}

	/** A buffer in the process would lose events that were said to be recorded. */
	@Test
	void processWhenKilledHasRecordedAllThatItSaid() throws Exception {
		Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				RecorderTests.class.getName(), this.directory.toString())
			.start();
		long said = 0;
		try (BufferedReader out = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			while (said < 500) {
				said = Long.parseLong(out.readLine());
			}
			process.destroyForcibly().waitFor();
		}
		assertThat(read()).hasSizeGreaterThanOrEqualTo((int) said);
	}

	@Test
	void lineWhenTornAnywhereIsLeftOut() throws IOException {
		try (Recorder recorder = Recorder.open(this.directory, "p")) {
			recorder.acquire("first");
			recorder.acquire("torn").ok(1, 2);
		}
		byte[] whole = Files.readAllBytes(file("p"));
		int lastLine = new String(whole, StandardCharsets.ISO_8859_1).lastIndexOf('\n', whole.length - 2) + 1;
		for (int length = lastLine; length < whole.length; length++) {
			Files.write(file("p"), Arrays.copyOf(whole, length));
			assertThat(read()).hasSize(2);
		}
	}

	@Test
	void nameWhenUsedBeforeIsRefused() throws IOException {
		Recorder.open(this.directory, "p").close();
		assertThatIllegalArgumentException().isThrownBy(() -> Recorder.open(this.directory, "p"));
	}

	/** A pause between the two would make the belief longer than it is. */
	@Test
	void validityWhenTheLeaseAnswersLateIsNotTooLong() {
		long[] asked = new long[1];
		Lease slow = (Lease) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Lease.class },
				(proxy, method, args) -> {
					asked[0] = System.nanoTime();
					while (System.nanoTime() - asked[0] < TimeUnit.MILLISECONDS.toNanos(1)) {
						Thread.onSpinWait();
					}
					return Duration.ofSeconds(1);
				});
		long validUntil = Recorder.validUntil(slow);
		assertThat(validUntil).isLessThanOrEqualTo(asked[0] + TimeUnit.SECONDS.toNanos(1));
	}

	private Path file(String proc) {
		return this.directory.resolve(proc + Recorder.SUFFIX);
	}

	private List<Event> read() {
		List<Event> events = new ArrayList<>();
		HistoryReader.of(this.directory).forEach(events::add);
		return events;
	}

}
