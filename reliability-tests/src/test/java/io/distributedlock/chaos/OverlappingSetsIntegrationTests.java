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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Overlapping sets of locks, asked for by many at once in any order and mode: everybody
 * gets all of a set in the end, or nothing of it.
 */
@Timeout(120)
@Tag("alone")
class OverlappingSetsIntegrationTests {

	private static final int TRIALS = 5000;

	private static final int THREADS = 6;

	private static final int KEYS = 8;

	/** Where there is less time than a machine needs for all, this many are enough. */
	private static final int FEWEST = 1000;

	private static final Duration TIME = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Occupants[] occupants = IntStream.range(0, KEYS)
		.mapToObj((ignored) -> new Occupants())
		.toArray(Occupants[]::new);

	private final AtomicInteger trials = new AtomicInteger();

	private final AtomicInteger inVain = new AtomicInteger();

	private long end;

	@ParameterizedTest
	@EnumSource(names = { "STANDALONE", "CLUSTER" })
	void overlappingSetsAreTakenInTheEndAndWholly(TopologyKind kind) throws Exception {
		try (Topology topology = kind.start(false)) {
			Route route = new Route(kind, topology.entries(), Map.of());
			try (WorkerStore here = WorkerStore.connect(route);
					DefaultLockRegistry one = new DefaultLockRegistry(here.store());
					WorkerStore there = WorkerStore.connect(route);
					DefaultLockRegistry two = new DefaultLockRegistry(there.store())) {
				this.end = System.nanoTime() + TIME.toNanos();
				tryAll(List.of(one, two));
				await().atMost(Duration.ofSeconds(20)).until(() -> isEverythingFree(topology));
			}
		}
		System.out.printf("sets on %s: %d trials, %d of them in vain%n", kind.label(), this.trials.get(),
				this.inVain.get());
		assertThat(this.trials).hasValueGreaterThanOrEqualTo(FEWEST);
		assertThat(this.inVain).hasPositiveValue();
	}

	private void tryAll(List<LockRegistry> registries) throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		List<Future<?>> done = new ArrayList<>();
		for (int i = 0; i < registries.size() * THREADS; i++) {
			LockRegistry registry = registries.get(i % registries.size());
			Random random = new Random(i);
			done.add(threads.submit(() -> {
				while (System.nanoTime() < this.end && this.trials.incrementAndGet() <= TRIALS) {
					tryOne(registry, random);
				}
				return null;
			}));
		}
		for (Future<?> each : done) {
			each.get();
		}
		threads.shutdown();
	}

	/** One of ten has so little time that it gives back what it has got. */
	private void tryOne(LockRegistry registry, Random random) {
		boolean patient = random.nextInt(10) > 0;
		int[] numbers = random.ints(0, KEYS).distinct().limit(2 + random.nextInt(3)).toArray();
		LockMode[] modes = { LockMode.EXCLUSIVE, LockMode.WRITE, LockMode.READ, LockMode.FAIR };
		LockMode mode = modes[random.nextInt(modes.length)];
		String[] keys = IntStream.of(numbers).mapToObj((number) -> "set-" + number).toArray(String[]::new);
		LockRequest request = LockRequest.of(keys)
			.mode(mode)
			.ttl(PATIENCE)
			.waitFor(patient ? PATIENCE : Duration.ofMillis(random.nextInt(20)));
		try (Lease lease = registry.acquire(request)) {
			IntStream.of(numbers).forEach((number) -> this.occupants[number].enter(mode.isExclusive()));
			assertThat(lease.isHeld()).isTrue();
			IntStream.of(numbers).forEach((number) -> this.occupants[number].leave(mode.isExclusive()));
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

	/** Who is inside, as far as they know themselves. */
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
