package io.distributedlock.faults;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.ShownLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * A client's wall clock may be set while locks are held and waited for: a step forward
 * costs a confirmation, nothing more.
 */
class ClientClockFaultIntegrationTests {

	private static final String KEY = "order:42";

	private static final Duration TTL = Duration.ofMillis(4500);

	private static final Duration BUDGET = Duration.ofSeconds(4);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(30));

	private static FaultyRedis redis;

	private static DefaultLockRegistry here;

	private static ClientClock clock;

	private static LockProcess process;

	@BeforeAll
	static void start() throws IOException {
		redis = new FaultyRedis();
		here = redis.instance();
		clock = new ClientClock();
		process = new LockProcess(redis.server, clock.jvmOptions());
		process.acquire("warm-up", TTL, Duration.ofSeconds(30));
		process.release("warm-up");
	}

	@AfterAll
	static void stop() throws Exception {
		process.close();
		clock.close();
		redis.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, -3 })
	void row18HeldLockIsKeptAndRenewedWhenTheClientClockJumps(int hours) throws IOException {
		long token = process.acquire(KEY, TTL, Duration.ofSeconds(30));
		step(hours);
		CompletableFuture<Lease> waiting = here.acquireAsync(REQUEST).toCompletableFuture();
		process.awaitRenewal(KEY);
		process.awaitRenewal(KEY);
		assertThat(waiting).isNotDone();
		assertThat(process.remaining(KEY)).isBetween(Duration.ofMillis(1), TTL);
		assertThat(process.loss(KEY)).isEmpty();
		assertThat(process.release(KEY)).isEmpty();
		try (Lease next = waiting.join()) {
			assertThat(next.fencingToken()).isGreaterThan(token);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, -3 })
	void row18BudgetOfAWaiterIsKeptWhenTheClientClockJumps(int hours) throws IOException {
		try (Lease lease = here.acquire(REQUEST.ttl(Duration.ofSeconds(60)))) {
			long start = System.nanoTime();
			process.beginAcquire(KEY, TTL, BUDGET);
			awaitWaiting();
			step(hours);
			assertThat(process.acquired()).isEqualTo("LockNotAcquiredException");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(BUDGET, Duration.ofSeconds(20));
			assertThat(lease.isHeld()).isTrue();
		}
	}

	/** The lease runs out, so that no message wakes the waiter. */
	@ParameterizedTest
	@ValueSource(ints = { 3, -3 })
	void row18WaiterIsServedWhenTheClientClockJumps(int hours) throws IOException {
		Lease lease = here.acquire(REQUEST.ttl(Duration.ofSeconds(4)).renew(false));
		process.beginAcquire(KEY, TTL, Duration.ofSeconds(60));
		awaitWaiting();
		step(hours);
		long start = System.nanoTime();
		assertThat(Long.parseLong(process.acquired())).isGreaterThan(lease.fencingToken());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
		assertThat(process.release(KEY)).isEmpty();
	}

	/** The monotonic clock stood still, so that the lease was believed to its end. */
	@Test
	void row2HolderOnAMachineThatWasSuspendedDoesNotBelieveItsLease() throws Exception {
		String key = "night";
		long token = process.acquire(key, TTL, Duration.ofSeconds(30));
		long start = System.nanoTime();
		process.stop();
		try (Lease next = here.acquire(LockRequest.of(key).waitFor(Duration.ofSeconds(30)))) {
			assertThat(next.fencingToken()).isGreaterThan(token);
			clock.suspended(Duration.ofNanos(System.nanoTime() - start));
			process.resume();
			assertThat(process.remaining(key)).isZero();
			await().until(() -> process.loss(key).equals("EXPIRED"));
			assertThat(next.isHeld()).isTrue();
		}
		step(3);
	}

	/** The state from before the step has to live on: this may not ask the process. */
	private void step(int hours) {
		clock.step(Duration.ofHours(hours));
	}

	@AfterEach
	void processHasSeenTheStep() throws IOException {
		assertThat(clock.shift().abs()).isEqualTo(Duration.ofHours(3));
		Instant expected = Instant.now().plus(clock.shift());
		assertThat(process.clocks()).hasSize(4)
			.allSatisfy((time) -> assertThat(time).isCloseTo(expected, within(1, ChronoUnit.MINUTES)));
		assertThat(process.waitUntil(Duration.ofMillis(100))).isBetween(Duration.ofMillis(80), Duration.ofSeconds(20));
		clock.step(clock.shift().negated());
	}

	private void awaitWaiting() {
		await().until(() -> ShownLock.of(redis.admin(), "lock::" + KEY).get("waiter") != null);
	}

}
