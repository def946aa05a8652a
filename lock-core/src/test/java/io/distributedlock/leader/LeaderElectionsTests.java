package io.distributedlock.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.Patience;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.mock;

/** Elections with threads, on registries with a store in memory. */
class LeaderElectionsTests {

	private static final int MANY = 1_000;

	private final MemoryLocks locks = new MemoryLocks();

	private final List<AutoCloseable> closeables = new ArrayList<>();

	private final DefaultLockRegistry registry = registry(LockProfiles.DEFAULTS);

	private final LeaderElections elections = elections(this.registry);

	private DefaultLockRegistry registry(LockProfiles profiles) {
		DefaultLockRegistry made = new DefaultLockRegistry(new MemoryLockStore(this.locks), profiles,
				EngineSettings.DEFAULTS, null);
		this.closeables.add(0, made);
		return made;
	}

	private LeaderElections elections(DefaultLockRegistry registry) {
		LeaderElections made = new LeaderElections(registry);
		this.closeables.add(0, made);
		return made;
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("distributed-lock-"))
			.count();
	}

	@Test
	void thousandElectionsHaveNoThreadEach() {
		List<LeaderElection> leaders = IntStream.range(0, MANY)
			.mapToObj((i) -> this.elections.create("role " + i))
			.toList();
		List<LeaderElection> candidates = IntStream.range(0, MANY)
			.mapToObj((i) -> this.elections.create("role 0"))
			.toList();
		leaders.forEach(LeaderElection::start);
		candidates.forEach(LeaderElection::start);
		Patience.await().until(() -> leaders.stream().allMatch(LeaderElection::isLeader));
		Patience.await().untilAsserted(() -> assertThat(threads()).isLessThan(20));
		assertThat(candidates).noneMatch(LeaderElection::isLeader);
		leaders.get(0).stop();
		Patience.await().until(() -> candidates.stream().filter(LeaderElection::isLeader).count() == 1);
	}

	@Test
	void threadForTimersEndsWithTheElections() {
		LeaderElections own = new LeaderElections(this.registry);
		own.create("role").start();
		assertThat(timerThreads()).isPositive();
		own.close();
		own.close();
		Patience.await().until(() -> timerThreads() == 0);
	}

	private static long timerThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("distributed-lock-leader-timer-"))
			.count();
	}

	@Test
	void electionThatWasClosedIsNotStartedAgain() {
		LeaderElection election = this.elections.create("role");
		election.start();
		election.close();
		assertThatIllegalStateException().isThrownBy(election::start)
			.withMessage("The election of 'role' was closed: create another one");
		this.elections.close();
		assertThatIllegalStateException().isThrownBy(this.elections.create("role")::start)
			.withMessage("The elections were closed: create others with new LeaderElections(…)");
	}

	/** The start ended without a word, and this instance never became a candidate. */
	@Test
	void startOnAClosedRegistryFails() {
		LeaderElection election = this.elections.create("role\n");
		this.registry.close();
		assertThatIllegalStateException().isThrownBy(election::start)
			.withMessage(
					"Role 'role\\u000A' cannot be led by this instance: its registry was closed, and hands out no more "
							+ "locks. Create elections on another one with new LeaderElections(registry)")
			.withCauseInstanceOf(LockRegistryClosedException.class);
		election.stop();
		assertThat(election.isLeader()).isFalse();
	}

	@Test
	void registryThatIsClosedUnderACandidateEndsItQuietly() {
		LeaderElection election = this.elections.create("role");
		this.elections.create("role").start();
		election.start();
		this.registry.close();
		assertThatNoException().isThrownBy(election::stop);
		assertThat(election.isLeader()).isFalse();
	}

	@Test
	void listenersOfAllElectionsAreCalled() {
		ToldListener listener = new ToldListener();
		try (LeaderElections observed = new LeaderElections(this.registry, List.of(listener))) {
			observed.create("a").start();
			observed.create("b").start();
			Patience.await().until(() -> listener.granted.size() == 2);
		}
		assertThat(listener.granted).extracting(Leadership::role).containsExactlyInAnyOrder("a", "b");
		assertThat(listener.told).hasSize(4);
	}

	/** A listener that blocks must not keep a stop, or another election, for ever. */
	@Test
	void stopWithAListenerThatBlocksEndsAfterItsGracePeriod() {
		CountDownLatch go = new CountDownLatch(1);
		CompletableFuture<Leadership> granted = new CompletableFuture<>();
		LeaderElection election = this.elections.create("role",
				LeaderOptions.DEFAULTS.withListenerGrace(Duration.ofMillis(100)));
		election.addListener(LeaderListener.of((leadership) -> {
			granted.complete(leadership);
			await(go);
		}, (leadership) -> {
		}));
		election.start();
		assertThat(granted.join().isHeld()).isTrue();
		this.elections.stop();
		assertThat(granted.join().isHeld()).isFalse();
		assertThat(this.locks.isLocked(LeaderElection.LOCK_NAME, "role")).isFalse();
		go.countDown();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void stopThatIsInterruptedKeepsTheInterrupt() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		LeaderElection election = this.elections.create("role");
		election.addListener(LeaderListener.of((leadership) -> await(go), (leadership) -> {
		}));
		election.start();
		Patience.await().until(election::isLeader);
		Thread stopping = new Thread(() -> {
			Thread.currentThread().interrupt();
			election.stop();
			assertThat(Thread.interrupted()).isTrue();
			go.countDown();
		});
		stopping.start();
		go.await();
		stopping.join();
		Patience.await().until(() -> !this.locks.isLocked(LeaderElection.LOCK_NAME, "role"));
	}

	/** The alert for long waits would fire for each candidate. */
	@Test
	void candidateIsNoCallerThatWaitsForTooLong() {
		LeaderElection leader = this.elections.create("role");
		leader.start();
		Patience.await().until(leader::isLeader);
		DefaultLockRegistry other = registry(LockProfiles.DEFAULTS);
		elections(other).create("role").start();
		Patience.await().until(() -> other.statistics().waiting() == 1);
		assertThat(other.statistics().oldestWait()).isZero();
		other.acquireAsync(LockRequest.of(LeaderElection.LOCK_NAME, "role").waitFor(Duration.ofHours(1)));
		Patience.await().until(() -> other.statistics().oldestWait().toNanos() > 0);
	}

	/** The global max-hold is advised for leases that are closed by hand. */
	@Test
	void globalOptionsDoNotEndALeadership() {
		LockOptions global = LockOptions.NONE.withMaxHold(Duration.ofMillis(1))
			.withRenew(false)
			.withTtl(Duration.ofMillis(900))
			.withWaitFor(Duration.ZERO);
		DefaultLockRegistry limited = registry(new LockProfiles(global, Map.of()));
		LeaderElection election = elections(limited).create("role");
		ToldListener listener = new ToldListener();
		election.addListener(listener);
		election.start();
		Patience.await().until(election::isLeader);
		long before = limited.statistics().renewals();
		Patience.await().until(() -> limited.statistics().renewals() > before + 5);
		assertThat(limited.statistics().lost(LossReason.MAX_HOLD)).isZero();
		assertThat(limited.statistics().lost(LossReason.NOT_RENEWED)).isZero();
	}

	/** Each instance led as a reader, and all of them at once. */
	@Test
	void profileThatBreaksAPromiseIsRefused() {
		assertRefused(LockOptions.NONE.withMode(LockMode.READ),
				"distributed-lock.locks.leader.mode is read, so several instances would lead at once: remove it, or set fair");
		assertRefused(LockOptions.NONE.withMode(LockMode.SEMAPHORE).withPermits(2),
				"distributed-lock.locks.leader.mode is semaphore, so several instances would lead at once: remove it, or set fair");
		assertRefused(LockOptions.NONE.withKeepFor(Duration.ofMinutes(1)),
				"distributed-lock.locks.leader.keep-for is 1m, so the lock of a leader that stops would stay taken: remove it");
		assertRefused(LockOptions.NONE.withWaitFor(Duration.ofSeconds(5)),
				"distributed-lock.locks.leader.wait is 5s, so candidates would leave the line of the lock: remove it");
		assertRefused(LockOptions.NONE.withRenew(false),
				"distributed-lock.locks.leader.renew is false, so each leadership would end with its first lease: remove it");
		assertRefused(LockOptions.NONE.withMaxHold(Duration.ofHours(1)),
				"distributed-lock.locks.leader.max-hold is 1h, so each leadership would end after that time: remove it");
	}

	private void assertRefused(LockOptions profile, String message) {
		LeaderElections refusing = elections(registry(profile(profile)));
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> refusing.create("role"))
			.withMessage(message);
	}

	private static LockProfiles profile(LockOptions options) {
		return new LockProfiles(LockOptions.NONE, Map.of(LeaderElection.LOCK_NAME, options));
	}

	@Test
	void profileOfAFairLockWithAnotherLeaseIsGood() {
		LockOptions fair = LockOptions.NONE.withMode(LockMode.FAIR).withTtl(Duration.ofSeconds(20));
		LeaderElection election = elections(registry(profile(fair))).create("role");
		election.start();
		Patience.await().until(election::isLeader);
		assertThat(election.leadership().orElseThrow().lease().remaining()).isLessThan(Duration.ofSeconds(21));
	}

	@Test
	void registryThatIsAMockMakesElections() {
		assertThat(new LeaderElections(mock(LockRegistry.class)).create("role").isLeader()).isFalse();
	}

	/** Starts, stops, losses and step-downs at random, of three instances. */
	@Test
	void listenersOfAllInstancesSeeOneLeaderAtATime() throws Exception {
		AtomicInteger leaders = new AtomicInteger();
		AtomicInteger grants = new AtomicInteger();
		List<String> wrong = new ArrayList<>();
		List<LeaderElection> all = IntStream.range(0, 3)
			.mapToObj((i) -> elections(registry(LockProfiles.DEFAULTS)).create("role",
					LeaderOptions.DEFAULTS.withListenerGrace(Duration.ofMinutes(1))))
			.toList();
		for (LeaderElection election : all) {
			AtomicInteger own = new AtomicInteger();
			election.addListener(LeaderListener.of((leadership) -> {
				grants.incrementAndGet();
				check(wrong, own.incrementAndGet() == 1, "granted twice");
				check(wrong, leaders.incrementAndGet() == 1, "two leaders");
			}, (leadership) -> {
				leaders.decrementAndGet();
				check(wrong, own.decrementAndGet() == 0, "revoked twice");
			}));
		}
		List<Thread> threads = all.stream()
			.map((election) -> new Thread(() -> disturb(election, all, grants)))
			.toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		all.forEach(LeaderElection::stop);
		assertThat(wrong).isEmpty();
		assertThat(leaders).hasValue(0);
		assertThat(grants).hasValueGreaterThan(10);
		assertThat(this.locks.isLocked(LeaderElection.LOCK_NAME, "role")).isFalse();
	}

	private static void check(List<String> wrong, boolean right, String what) {
		if (!right) {
			synchronized (wrong) {
				wrong.add(what);
			}
		}
	}

	/** Threads that stop before each grant would test nothing, so they go on. */
	private static void disturb(LeaderElection election, List<LeaderElection> all, AtomicInteger grants) {
		for (int i = 0; i < 150 || grants.get() <= 10; i++) {
			election.start();
			switch (ThreadLocalRandom.current().nextInt(3)) {
				case 0 -> election.stop();
				case 1 -> Patience.await().until(() -> all.stream().anyMatch(LeaderElection::isLeader));
				default -> election.leadership().ifPresent((leadership) -> {
					election.stop();
					leadership.stepDown();
				});
			}
		}
	}

}
