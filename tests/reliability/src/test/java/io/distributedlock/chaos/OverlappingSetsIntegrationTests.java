package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Overlapping sets of locks, requested by many callers at once in any order and mode:
 * each caller gets all of its set in the end, or nothing. 2,500 trials on each topology,
 * or as many as {@code -Dsets.trials=…} says, however long that takes.
 */
@Timeout(600)
@Tag("alone")
@Isolated("Uses up the processors, beside tests that time what they do.")
class OverlappingSetsIntegrationTests {

	/** On each topology. {@code SimulationDeadlockTests} simulates four times as many. */
	private static final int TRIALS = Integer.getInteger("sets.trials", 2500);

	private static final int INSTANCES = 2;

	private static final int THREADS = 6;

	private static final int KEYS = 16;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String NODE_TIMEOUT_MILLIS = "60000";

	private final Occupants[] occupants = IntStream.range(0, KEYS)
		.mapToObj((ignored) -> new Occupants())
		.toArray(Occupants[]::new);

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger taken = new AtomicInteger();

	private final AtomicInteger inVain = new AtomicInteger();

	private final List<Instance> instances = new ArrayList<>();

	@ParameterizedTest
	@EnumSource(names = { "STANDALONE", "CLUSTER" })
	void overlappingSetsAreTakenInTheEndAndWholly(TopologyKind kind) throws Exception {
		try (Topology topology = kind.start(false)) {
			try {
				if (kind == TopologyKind.CLUSTER) {
					// Nothing fails here, so a master that stands still is not to be
					// replaced.
					topology.servers()
						.forEach((server) -> server.ask("CONFIG", "SET", "cluster-node-timeout", NODE_TIMEOUT_MILLIS));
				}
				for (int i = 0; i < INSTANCES; i++) {
					this.instances
						.add(Instance.connect(new Route(kind, ChaosDriver.LETTUCE, topology.entries(), Map.of())));
				}
				long began = System.nanoTime();
				tryAll();
				System.out.printf("sets on %s: %d trials in %d ms, %d of them in vain%n", kind.label(),
						this.taken.get() + this.inVain.get(), (System.nanoTime() - began) / 1_000_000,
						this.inVain.get());
				await().until(() -> isEverythingFree(topology));
			}
			finally {
				for (Instance instance : this.instances) {
					instance.close();
				}
			}
		}
		assertThat(this.taken.get() + this.inVain.get()).as("trials").isEqualTo(TRIALS);
		assertThat(this.inVain).as("trials in vain").hasPositiveValue();
	}

	private void tryAll() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		List<Future<?>> done = new ArrayList<>();
		for (int i = 0; i < INSTANCES * THREADS; i++) {
			LockRegistry registry = this.instances.get(i % INSTANCES).registry();
			Random random = new Random(i);
			done.add(threads.submit(() -> {
				while (this.begun.incrementAndGet() <= TRIALS) {
					tryOne(registry, random);
				}
				return null;
			}));
		}
		try {
			for (Future<?> each : done) {
				each.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	/** A caller in ten has so short a budget that it may release a part of its set. */
	private void tryOne(LockRegistry registry, Random random) {
		boolean patient = random.nextInt(10) > 0;
		int[] numbers = random.ints(0, KEYS).distinct().limit(2 + random.nextInt(3)).toArray();
		LockMode[] modes = { LockMode.EXCLUSIVE, LockMode.READ, LockMode.FAIR };
		LockMode mode = modes[random.nextInt(modes.length)];
		String[] keys = IntStream.of(numbers).mapToObj((number) -> "set-" + number).toArray(String[]::new);
		LockRequest request = LockRequest.ofAll(keys)
			.mode(mode)
			.ttl(PATIENCE)
			.waitFor(patient ? PATIENCE : Duration.ofMillis(random.nextInt(20)));
		try (Lease lease = registry.acquire(request)) {
			IntStream.of(numbers).forEach((number) -> this.occupants[number].enter(mode.isExclusive()));
			assertThat(lease.isHeld()).isTrue();
			IntStream.of(numbers).forEach((number) -> this.occupants[number].leave(mode.isExclusive()));
			this.taken.incrementAndGet();
		}
		catch (LockException ex) {
			// Busy, or not answered in so little time.
			if (patient) {
				throw ex;
			}
			this.inVain.incrementAndGet();
		}
	}

	private static boolean isEverythingFree(Topology topology) {
		return topology.admins()
			.stream()
			.allMatch((admin) -> admin.keys().stream().noneMatch((key) -> admin.isOwned(key, Duration.ZERO)));
	}

	/** An application, with connections of its own. */
	private record Instance(WorkerStore store, DefaultLockRegistry registry) implements AutoCloseable {

		private static Instance connect(Route route) {
			WorkerStore store = WorkerStore.connect(route);
			return new Instance(store, new DefaultLockRegistry(store.store()));
		}

		@Override
		public void close() throws Exception {
			this.registry.close();
			this.store.close();
		}

	}

	/** Counts the callers that are inside a lock. */
	private static final class Occupants {

		private static final int WRITER = 1000;

		private final AtomicInteger inside = new AtomicInteger();

		private void enter(boolean exclusive) {
			int before = this.inside.getAndAdd(exclusive ? WRITER : 1);
			assertThat(before).as("inside before").isBetween(0, exclusive ? 0 : WRITER - 1);
		}

		private void leave(boolean exclusive) {
			this.inside.addAndGet(exclusive ? -WRITER : -1);
		}

	}

}
