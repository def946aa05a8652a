package io.distributedlock.history;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A run from the recorder over the files to the verdict, with a lock and without. */
class RecordedRunTests {

	private static final Bounds BOUNDS = new Bounds(Duration.ofSeconds(20), Duration.ofSeconds(10),
			Duration.ofSeconds(10), Duration.ofSeconds(10), true);

	private static final String KEY = "k";

	@TempDir
	Path directory;

	private final AtomicLong tokens = new AtomicLong();

	@Test
	void runWithALockIsAccepted() throws Exception {
		Report report;
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore())) {
			report = run((recorder, witness) -> {
				Attempt attempt = recorder.acquire(KEY);
				try (Lease lease = registry.acquire(LockRequest.of(KEY).ttl(BOUNDS.lease()))) {
					Hold hold = attempt.ok(lease.fencingToken(), Recorder.validUntil(lease));
					count(hold, witness);
					hold.releasing();
					lease.close();
					hold.released();
				}
			});
		}
		assertThat(report.violationCount()).as(report.toString()).isZero();
		assertThat(report.acquisitions()).isEqualTo(400);
		assertThat(report.lostUpdates()).isZero();
	}

	/**
	 * The control: without a lock two are inside, and only the fenced register is safe.
	 */
	@Test
	void runWithoutALockIsRefused() throws Exception {
		Report report = run((recorder, witness) -> {
			Hold hold = recorder.acquire(KEY).ok(this.tokens.incrementAndGet(), Long.MAX_VALUE);
			count(hold, witness);
			hold.releasing();
			hold.released();
		});
		assertThat(report.counts()).containsOnlyKeys(RuleName.C1_EXCLUSION);
		assertThat(report.lostUpdates()).isPositive();
	}

	@Test
	void renewalsWhenTheEngineRenewsAreRecorded() throws Exception {
		Recorder recorder = Recorder.open(this.directory, "p");
		RecordingStore store = new RecordingStore(new MemoryLockStore());
		Duration ttl = Duration.ofSeconds(3);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store)) {
			Attempt attempt = recorder.acquire(KEY);
			Lease lease = registry.acquire(LockRequest.of(KEY).ttl(ttl));
			long firstValidity = Recorder.validUntil(lease);
			Hold hold = attempt.ok(lease.fencingToken(), firstValidity);
			store.held(hold);
			await().untilAsserted(() -> {
				long validity = Recorder.validUntil(lease);
				assertThat(events()).filteredOn((event) -> event.is(Event.Op.RENEW, Event.Phase.OK))
					.extracting(Event::validUntil)
					.anyMatch((validUntil) -> Math.abs(validUntil - validity) < 50_000_000);
			});
			hold.releasing();
			lease.close();
			hold.released();
		}
		Report report = check();
		assertThat(report.renewals()).isPositive();
		assertThat(report.violationCount()).as(report.toString()).isZero();
	}

	private Report run(Section section) throws Exception {
		long value;
		try (Witness witness = Witness.start(this.directory);
				WitnessClient client = new WitnessClient(witness.port());
				Recorder recorder = Recorder.open(this.directory, "p")) {
			ExecutorService threads = Executors.newFixedThreadPool(4);
			List<Future<?>> done = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				done.add(threads.submit(() -> repeat(section, recorder, witness.port())));
			}
			for (Future<?> future : done) {
				future.get();
			}
			threads.shutdown();
			value = client.read(KEY);
		}
		HistoryChecker checker = new HistoryChecker(BOUNDS);
		HistoryReader.of(this.directory).forEach(checker::accept);
		Quiescence.Counts counts = new Quiescence.Counts(0, 0, 0, 0);
		return checker.finish(new Quiescence(List.of(), counts, counts, Map.of(KEY, value)));
	}

	private static Void repeat(Section section, Recorder recorder, int port) throws IOException {
		try (WitnessClient witness = new WitnessClient(port)) {
			for (int i = 0; i < 100; i++) {
				section.run(recorder, witness);
			}
		}
		return null;
	}

	private static void count(Hold hold, WitnessClient witness) throws IOException {
		hold.enter();
		long prev = witness.enter(KEY, hold).value();
		long unfenced = witness.readUnfenced(KEY);
		witness.writeUnfenced(KEY, hold, unfenced, unfenced + 1);
		hold.writing(prev, prev + 1);
		hold.written(prev, prev + 1, witness.write(KEY, hold, prev, prev + 1).accepted());
		witness.exit(KEY, hold);
		hold.exit();
	}

	private List<Event> events() {
		List<Event> events = new ArrayList<>();
		HistoryReader.of(this.directory).forEach(events::add);
		return events;
	}

	private Report check() {
		HistoryChecker checker = new HistoryChecker(BOUNDS);
		HistoryReader.of(this.directory).forEach(checker::accept);
		return checker.finish();
	}

	private interface Section {

		void run(Recorder recorder, WitnessClient witness) throws IOException;

	}

}
