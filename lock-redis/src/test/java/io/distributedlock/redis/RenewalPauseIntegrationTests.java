package io.distributedlock.redis;

import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A server that stands still until very many leases are due. */
class RenewalPauseIntegrationTests {

	private static final int LOCKS = 30_000;

	/** The number of batches that renew all of them once. */
	private static final int NEEDED = LOCKS / RenewalAnswers.MOST + 1;

	/** As many as the engine has on their way to a server that answers. */
	private static final int IN_FLIGHT = 24;

	/** The commands for renewals that were tried meanwhile, or that are due again. */
	private static final int SPARE = 40;

	/**
	 * Renewals are due after a sixth to a third of it, and not again before that. A busy
	 * machine has the rest for all of them.
	 */
	private static final Duration TTL = Duration.ofSeconds(24);

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings(RedisStoreSettings.DEFAULTS.keyPrefix(),
			RedisStoreSettings.DEFAULTS.tokenRetention(), Duration.ofSeconds(2), true);

	/** No renewal is due later, however its turn is planned. */
	private static final Duration DUE = TTL.minus(TTL.dividedBy(3));

	private static final int ACQUIRED_AT_A_TIME = 500;

	private final AtomicInteger losses = new AtomicInteger();

	/**
	 * Leases were renewed in the order in which they had come due, which is another one
	 * since renewals are spread: some that were about to end came last.
	 */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void leasesThatOutliveAPauseAreKeptAndRenewedInOrder(DriverUnderTest driver) throws Exception {
		RedisServer server = RedisServers.start();
		RedisConnectionFactory factory = driver.connect(server);
		try (server;
				DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, SETTINGS),
						LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), this::count)) {
			List<Lease> leases = acquire(registry);
			pass(TTL.dividedBy(3));
			long before = CommandCounts.of(server, "evalsha");
			server.pause();
			// On a busy machine very many were renewed while the pause was asked for.
			long pausedAt = System.nanoTime();
			awaitAllDue(leases);
			List<Lease> urgent = first(leases, LOCKS / 5);
			long resumedAt = System.nanoTime();
			server.resume();
			Map<Lease, Duration> renewed = new IdentityHashMap<>();
			await().atMost(TTL).until(() -> noteRenewals(leases, pausedAt, renewed) == LOCKS);
			assertThat(urgent.stream().filter(Set.copyOf(first(renewed, LOCKS * 2 / 5))::contains).count())
				.as("of those that end first among the first that were renewed")
				.isGreaterThan(urgent.size() * 9L / 10);
			long rounds = 1 + (System.nanoTime() - resumedAt) / TTL.dividedBy(6).toNanos();
			assertThat(CommandCounts.of(server, "evalsha") - before).isBetween((long) NEEDED,
					NEEDED * rounds + IN_FLIGHT + SPARE);
			assertThat(this.losses).hasValue(0);
			assertThat(leases).allMatch(Lease::isHeld);
		}
		finally {
			DriverUnderTest.close(factory);
		}
	}

	private static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().atMost(time.multipliedBy(2)).until(() -> System.nanoTime() > end);
	}

	/** None is renewed meanwhile. */
	private static void awaitAllDue(List<Lease> leases) {
		await().atMost(TTL).until(() -> leases.stream().allMatch((lease) -> lease.remaining().compareTo(DUE) < 0));
	}

	/** Those that end first, as seen at one moment. */
	private static List<Lease> first(List<Lease> leases, int count) {
		Map<Lease, Duration> left = new IdentityHashMap<>();
		leases.forEach((lease) -> left.put(lease, lease.remaining()));
		return first(left, count);
	}

	private static List<Lease> first(Map<Lease, Duration> times, int count) {
		return times.entrySet()
			.stream()
			.sorted(Map.Entry.comparingByValue())
			.limit(count)
			.map(Map.Entry::getKey)
			.toList();
	}

	/**
	 * Note how long after a time the first renewal of each lease was sent: a driver with
	 * several connections gets the answers in another order.
	 * @return how many are noted
	 */
	private static int noteRenewals(List<Lease> leases, long time, Map<Lease, Duration> sent) {
		for (Lease lease : leases) {
			Duration after = Duration.ofNanos(System.nanoTime() - time).minus(TTL).plus(lease.remaining());
			if (after.compareTo(Duration.ZERO) > 0) {
				sent.putIfAbsent(lease, after);
			}
		}
		return sent.size();
	}

	private void count(LockEvent event) {
		if (event instanceof LockEvent.Lost) {
			this.losses.incrementAndGet();
		}
	}

	private static List<Lease> acquire(DefaultLockRegistry registry) throws InterruptedException {
		Lease[] leases = new Lease[LOCKS];
		Semaphore free = new Semaphore(ACQUIRED_AT_A_TIME);
		for (int i = 0; i < LOCKS; i++) {
			int index = i;
			free.acquire();
			registry.acquireAsync(LockRequest.of("key-" + i).ttl(TTL).waitFor(TTL)).whenComplete((lease, failure) -> {
				leases[index] = lease;
				free.release();
			});
		}
		free.acquire(ACQUIRED_AT_A_TIME);
		return IntStream.range(0, LOCKS).mapToObj((i) -> leases[i]).toList();
	}

}
