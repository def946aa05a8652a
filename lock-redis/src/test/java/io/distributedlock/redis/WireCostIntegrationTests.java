package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The cost of a lock on the wire, as the server counts it.
 */
class WireCostIntegrationTests {

	private static final String KEY = "wire";

	private final RedisServer server = RedisServers.start();

	private final RedisConnectionFactory factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, this.server);

	private final RedisConnectionFactory observer = DriverUnderTest.LETTUCE.connect(this.server);

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	@BeforeEach
	void warmUp() {
		this.here = new DefaultLockRegistry(new RedisLockStore(this.factory, StoreUnderTest.PATIENT));
		this.there = new DefaultLockRegistry(new RedisLockStore(this.factory, StoreUnderTest.PATIENT));
		this.here.acquire(LockRequest.of(KEY).waitFor(Patience.CEILING)).close();
		this.there.acquire(LockRequest.of(KEY).waitFor(Patience.CEILING)).close();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		DriverUnderTest.close(this.factory);
		DriverUnderTest.close(this.observer);
		this.server.close();
	}

	@Test
	void uncontendedLockAndUnlockAreTwoScripts() {
		LeaseLock lock = this.here.getLock(KEY);
		Map<String, Long> before = calls();
		for (int i = 0; i < 100; i++) {
			lock.lock();
			lock.unlock();
		}
		assertThat(sent(before)).isEqualTo(Map.of("evalsha", 200L));
	}

	/**
	 * Also where two instances take turns, so that each finds the other's last request.
	 */
	@Test
	void uncontendedLockAndUnlockAreSevenCommandsAndThreeHundredBytes() {
		long idle = bytes();
		idle = bytes() - idle;
		Map<String, Long> before = calls();
		long start = bytes();
		for (int i = 0; i < 500; i++) {
			LeaseLock lock = ((i % 2 == 0) ? this.here : this.there).getLock(KEY);
			lock.lock();
			lock.unlock();
		}
		long sent = bytes() - start - idle;
		Map<String, Long> after = calls();
		long commands = Stream.of("hmget", "time", "hset", "pexpire")
			.mapToLong((command) -> after.get(command) - before.get(command))
			.sum();
		assertThat(commands).isEqualTo(500 * 7);
		assertThat(sent).isLessThan(500 * 300);
	}

	/** Read and written by all connections. */
	private long bytes() {
		try (RedisConnection connection = this.observer.getConnection()) {
			Properties stats = connection.serverCommands().info("stats");
			return Stream.of("total_net_input_bytes", "total_net_output_bytes")
				.mapToLong((name) -> Long.parseLong(stats.getProperty(name)))
				.sum();
		}
	}

	@Test
	void reentrantLockAndUnlockAreNothing() {
		LeaseLock lock = this.here.getLock(KEY);
		lock.lock();
		Map<String, Long> before = calls();
		for (int i = 0; i < 100; i++) {
			lock.lock();
			lock.unlock();
		}
		assertThat(sent(before)).isEmpty();
		lock.unlock();
	}

	@Test
	void twoHundredWaitingThreadsCostWhatOneCosts() throws Exception {
		Lease held = this.there.acquire(LockRequest.of(KEY).ttl(Duration.ofMinutes(5)));
		CountDownLatch served = new CountDownLatch(200);
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			Thread thread = new Thread(() -> {
				this.here.acquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(40))).close();
				served.countDown();
			});
			thread.start();
			threads.add(thread);
		}
		await().until(() -> threads.stream().allMatch((thread) -> thread.getState() == Thread.State.WAITING));
		await().until(() -> !((List<?>) this.server.ask("PUBSUB", "CHANNELS", "*:!wake:*")).isEmpty());
		long start = System.nanoTime();
		Map<String, Long> before = calls();
		// The one that is next attempts every 3 to 4 s.
		await().pollDelay(Duration.ofSeconds(6)).until(() -> true);
		Map<String, Long> sent = sent(before);
		double seconds = (System.nanoTime() - start) / 1e9;
		assertThat(sent.getOrDefault("evalsha", 0L)).isBetween(1L, (long) Math.ceil(2 * seconds));
		assertThat(sent.keySet()).containsExactly("evalsha");
		held.close();
		served.await();
	}

	/** It was six and a half, those inside scripts included. */
	@Test
	void waiterThatIsNextCostsTwoCommandsPerSecond() {
		Lease held = this.there.acquire(LockRequest.of(KEY).ttl(Duration.ofMinutes(5)));
		CompletableFuture<Lease> waiter = this.here.acquireAsync(LockRequest.of(KEY).waitFor(Duration.ofSeconds(40)))
			.toCompletableFuture();
		await().until(() -> !((List<?>) this.server.ask("PUBSUB", "CHANNELS", "*:!wake:*")).isEmpty());
		Map<String, Long> subscribed = calls();
		await().until(() -> scripts(subscribed) >= 2);
		Map<String, Long> before = calls();
		long start = System.nanoTime();
		await().pollDelay(Duration.ofSeconds(9)).until(() -> true);
		long commands = cost(before);
		double seconds = (System.nanoTime() - start) / 1e9;
		// Each attempt is five, and one may have come early.
		assertThat(commands).isBetween(10L, (long) (2 * seconds) + 5);
		held.close();
		waiter.join().close();
	}

	private long scripts(Map<String, Long> before) {
		return sent(before).getOrDefault("evalsha", 0L);
	}

	/** Commands of clients and of scripts. */
	private long cost(Map<String, Long> before) {
		Map<String, Long> after = calls();
		return Stream.of("evalsha", "hmget", "time", "hset", "hdel", "pexpire", "publish")
			.mapToLong((command) -> after.getOrDefault(command, 0L) - before.getOrDefault(command, 0L))
			.sum();
	}

	/** Calls that clients sent; those made inside scripts are counted by the script. */
	private Map<String, Long> sent(Map<String, Long> before) {
		Map<String, Long> sent = new HashMap<>();
		calls().forEach((command, count) -> {
			long more = count - before.getOrDefault(command, 0L);
			if (more > 0) {
				sent.put(command, more);
			}
		});
		List.of("hmget", "hset", "hdel", "pexpire", "time", "publish", "pttl", "info").forEach(sent::remove);
		return sent;
	}

	private Map<String, Long> calls() {
		return CommandCounts.of(this.server);
	}

}
