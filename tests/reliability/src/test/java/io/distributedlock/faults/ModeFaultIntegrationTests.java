package io.distributedlock.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.ShownLock;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The cost to the others when a process dies or stands still that reads, waits in line,
 * waits to write, or has a permit: rows 1 and 2 of the table of faults for locks that are
 * not exclusive.
 */
class ModeFaultIntegrationTests {

	/** Leases of the processes that die or stand still. */
	private static final Duration TTL = Duration.ofSeconds(2);

	/** Leases of those that live on, and are not to lose anything. */
	private static final Duration LONG = Duration.ofSeconds(60);

	/** The longest time that a waiter sleeps before it attempts again. */
	private static final Duration POLL = Duration.ofSeconds(1);

	/** How long a waiter entry is valid. */
	private static final Duration WAITER_ENTRY = POLL.multipliedBy(3);

	/** The time that a busy machine may add. */
	private static final Duration SLACK = Duration.ofSeconds(4);

	private static FaultyRedis redis;

	private static DefaultLockRegistry here;

	private static RedisCommands<String, String> admin;

	private final List<LockProcess> processes = new ArrayList<>();

	@BeforeAll
	static void start() {
		redis = new FaultyRedis();
		here = redis.instance();
		admin = redis.admin();
	}

	@AfterAll
	static void stop() throws Exception {
		redis.close();
	}

	@BeforeEach
	void warmUp() {
		here.acquire(LockRequest.of("warm up")).close();
	}

	@AfterEach
	void killProcesses() {
		this.processes.forEach(LockProcess::close);
	}

	@Test
	void readerWhenKilledKeepsNoReaderOutAndAWriterForItsLeaseAtMost() throws Exception {
		String key = "dead-reader";
		LockProcess dead = process();
		dead.acquire(key, LockMode.READ, 0, TTL, Patience.CEILING);
		Lease reader = here.acquire(request(key, LockMode.READ));
		dead.kill();
		long killed = System.nanoTime();
		SingleTry.answer(() -> here.acquire(request(key, LockMode.READ).waitFor(Duration.ZERO))).close();
		reader.close();
		Lease writer = here.acquire(request(key, LockMode.EXCLUSIVE));
		assertThat(since(killed)).as("a writer").isLessThan(TTL.plus(POLL).plus(SLACK));
		writer.close();
	}

	@Test
	void readerWhenStoppedBeyondItsLeaseCostsOtherReadersNothing() throws Exception {
		String key = "stopped-reader";
		LockProcess stopped = process();
		stopped.acquire(key, LockMode.READ, 0, TTL, Patience.CEILING);
		Lease reader = here.acquire(request(key, LockMode.READ));
		stopped.stop();
		SingleTry.answer(() -> here.acquire(request(key, LockMode.READ).waitFor(Duration.ZERO))).close();
		reader.close();
		Lease writer = here.acquire(request(key, LockMode.EXCLUSIVE));
		stopped.resume();
		assertThat(stopped.isHeld(key)).isFalse();
		await().until(() -> !stopped.loss(key).isEmpty());
		assertThat(writer.isHeld()).isTrue();
		writer.close();
	}

	@Test
	void fairWaitersWhenKilledCostTheNextOneThreeSecondsInTotal() throws Exception {
		String key = "dead-in-line";
		Lease holder = here.acquire(request(key, LockMode.FAIR));
		for (int i = 0; i < 3; i++) {
			process().beginAcquire(key, LockMode.FAIR, 0, TTL, Patience.CEILING);
			awaitLines(key, "fair", i + 1);
		}
		CompletableFuture<Lease> next = here.acquireAsync(request(key, LockMode.FAIR)).toCompletableFuture();
		awaitLines(key, "fair", 4);
		this.processes.forEach(LockProcess::kill);
		long killed = System.nanoTime();
		holder.close();
		next.join().close();
		assertThat(since(killed)).isLessThan(WAITER_ENTRY.plus(POLL).plus(SLACK));
	}

	@Test
	void permitWhenItsHolderIsKilledIsTheOnlyOneThatIsFree() throws Exception {
		String key = "dead-permit";
		LockProcess dead = process();
		long token = dead.acquire(key, LockMode.SEMAPHORE, 2, TTL, Patience.CEILING);
		Lease other = here.acquire(LockRequest.of(key).permits(2).ttl(LONG));
		dead.kill();
		long killed = System.nanoTime();
		Lease next = here.acquire(LockRequest.of(key).permits(2).ttl(LONG).waitFor(Patience.CEILING));
		assertThat(since(killed)).isLessThan(TTL.plus(POLL).plus(SLACK));
		assertThat(next.fencingToken()).isGreaterThan(token);
		assertThat(other.isHeld()).isTrue();
		assertThat(SingleTry.of(here, LockRequest.of(key).permits(2).ttl(LONG).waitFor(Duration.ZERO))).isEmpty();
		other.close();
		next.close();
	}

	@Test
	void writerWhenKilledAsItWaitsKeepsReadersOutLikeItsEntry() throws Exception {
		String key = "dead-writer";
		Lease reader = here.acquire(request(key, LockMode.READ));
		LockProcess dead = process();
		dead.beginAcquire(key, LockMode.EXCLUSIVE, 0, TTL, Patience.CEILING);
		await().until(() -> admin.hexists("lock::" + key, "waiters"));
		LockRequest once = request(key, LockMode.READ).waitFor(Duration.ZERO);
		assertThat(SingleTry.of(here, once)).as("a writer waits").isEmpty();
		dead.kill();
		long killed = System.nanoTime();
		here.acquire(request(key, LockMode.READ)).close();
		assertThat(since(killed)).isLessThan(WAITER_ENTRY.plus(POLL).plus(SLACK));
		assertThat(reader.isHeld()).isTrue();
		reader.close();
	}

	@Test
	void readerWhenKilledAsItWaitsKeepsWritersOutForASecond() throws Exception {
		String key = "dead-in-phase";
		Lease holder = here.acquire(request(key, LockMode.EXCLUSIVE));
		LockProcess dead = process();
		dead.beginAcquire(key, LockMode.READ, 0, TTL, Patience.CEILING);
		awaitLines(key, "readers", 1);
		CompletableFuture<Lease> next = here.acquireAsync(request(key, LockMode.FAIR)).toCompletableFuture();
		awaitLines(key, "fair", 1);
		dead.kill();
		long killed = System.nanoTime();
		holder.close();
		next.join().close();
		assertThat(since(killed)).isLessThan(Duration.ofSeconds(1).plus(POLL).plus(SLACK));
	}

	private static void awaitLines(String key, String name, int count) {
		await().until(() -> ShownLock.of(admin, "lock::" + key).all(name).size() == count);
	}

	private LockProcess process() throws IOException {
		LockProcess process = new LockProcess(redis.server, List.of());
		this.processes.add(process);
		process.acquire("ready-" + process.pid(), TTL, Patience.CEILING);
		return process;
	}

	private static LockRequest request(String key, LockMode mode) {
		return LockRequest.of(key).mode(mode).ttl(LONG).waitFor(Patience.CEILING);
	}

	private static Duration since(long nanos) {
		return Duration.ofNanos(System.nanoTime() - nanos);
	}

}
