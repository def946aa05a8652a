package io.distributedlock.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.HistoryReader;
import io.distributedlock.history.Hold;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.Witness;
import io.distributedlock.history.WitnessClient;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The record that a worker makes of the end of a lease. The lock is free from then on
 * only if the store has said so: to call it free before would blame others for not having
 * it.
 */
class GuardedSectionTests {

	private static final String KEY = "k";

	private static final Duration LONG = Duration.ofSeconds(20);

	private final Acknowledgements acknowledgements = new Acknowledgements();

	@TempDir
	Path directory;

	@Test
	void releaseWhenAcknowledgedIsRecordedAsDone() throws Exception {
		assertThat(released(new MemoryLockStore(), LONG)).isEqualTo(Phase.OK);
	}

	@Test
	void releaseWhenNotAnsweredIsRecordedAsUnknown() throws Exception {
		assertThat(released(releasing(CompletableFuture::new), LONG)).isEqualTo(Phase.INFO);
	}

	@Test
	void releaseWhenRefusedIsRecordedAsUnknown() throws Exception {
		LockStore store = releasing(() -> CompletableFuture.failedFuture(new IllegalStateException("No connection")));
		assertThat(released(store, LONG)).isEqualTo(Phase.INFO);
	}

	@Test
	void leaseWhenTheStoreHasForgottenItIsRecordedAsLost() throws Exception {
		LockStore store = releasing(() -> CompletableFuture.completedFuture(Ownership.LOST));
		assertThat(released(store, LONG)).isEqualTo(Phase.FAIL);
	}

	/** The store may have prolonged it with an answer that was lost. */
	@Test
	void leaseWhenOnlyItsTimeIsOverIsRecordedAsUnknown() throws Exception {
		assertThat(released(new MemoryLockStore(), Duration.ofMillis(50))).isEqualTo(Phase.INFO);
	}

	private Phase released(LockStore store, Duration ttl) throws Exception {
		try (Recorder recorder = Recorder.open(this.directory, "p");
				Witness witness = Witness.start(this.directory);
				WitnessClient client = new WitnessClient(witness.port());
				DefaultLockRegistry registry = new DefaultLockRegistry(
						new LineRecorder(store, new LineLog(recorder, ""), this.acknowledgements),
						LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ofMillis(1)), null)) {
			Lease lease = registry.acquire(LockRequest.of(KEY).ttl(ttl).renew(false));
			Hold hold = recorder.acquire(KEY).ok(lease.fencingToken(), Recorder.validUntil(lease));
			if (ttl != LONG) {
				await().until(() -> !lease.isHeld());
			}
			new GuardedSection(client, new Random(1), this.acknowledgements).run(lease, List.of(hold), Mode.X,
					GuardedSection.Length.SHORT);
		}
		List<Phase> ends = new ArrayList<>();
		HistoryReader.of(this.directory).forEach((event) -> {
			if (event.op() == Op.RELEASE && event.phase() != Phase.INVOKE) {
				ends.add(event.phase());
			}
		});
		assertThat(ends).hasSize(1);
		return ends.get(0);
	}

	/** A store with another answer to releases. */
	private LockStore releasing(Supplier<CompletableFuture<Ownership>> answer) {
		LineLog unused = new LineLog(Recorder.open(this.directory, "unused"), "");
		return new LineRecorder(new MemoryLockStore(), unused, new Acknowledgements()) {

			@Override
			public CompletableFuture<Ownership> release(ReleaseCommand command) {
				return answer.get();
			}

		};
	}

}
