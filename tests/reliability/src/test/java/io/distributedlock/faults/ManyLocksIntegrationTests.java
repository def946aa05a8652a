package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Very many holds on one lock, and very many locks: rows 29 and 30 of the table of
 * faults. The long run measures the cost of 100,000 locks.
 */
@Tag("alone")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("other processor")
class ManyLocksIntegrationTests {

	private static final int LOCKS = 5_000;

	private static final int MOST_HOLDS = 65_536;

	private static final Duration TTL = Duration.ofSeconds(18);

	/** An answer may take until the next try of a renewal, a sixth of the lease. */
	private static final Duration COMMAND_TIMEOUT = TTL.dividedBy(6);

	private FaultyRedis redis;

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	private RedisCommands<String, String> admin;

	@BeforeEach
	void start() {
		this.redis = new FaultyRedis();
		this.here = this.redis.instance(COMMAND_TIMEOUT);
		this.there = this.redis.instance();
		this.admin = this.redis.admin();
	}

	@AfterEach
	void stop() throws Exception {
		this.redis.close();
	}

	/** Row 29: a recursion that does not end. */
	@Test
	void lockEnteredTooOftenIsRefusedWithoutACommandAndStaysUsable() {
		LeaseLock lock = this.here.getLock("nested");
		lock.lock(Duration.ofSeconds(60));
		String before = scriptCalls();
		for (int hold = 1; hold < MOST_HOLDS; hold++) {
			lock.lock();
		}
		assertThatIllegalStateException().isThrownBy(lock::lock).withMessageContaining("nested");
		assertThat(scriptCalls()).isEqualTo(before);
		for (int hold = 1; hold < MOST_HOLDS; hold++) {
			lock.unlock();
		}
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		assertThat(SingleTry.of(this.there, once("nested"))).isEmpty();
		lock.unlock();
		SingleTry.answer(() -> this.there.acquire(once("nested"))).close();
	}

	/**
	 * Row 30: a renewal comes after a third of the lease, and after half of it at the
	 * latest, so that never less than half is left.
	 */
	@Test
	void renewalOfManyLocksIsNeverLate() {
		List<Lease> leases = IntStream.range(0, LOCKS)
			.mapToObj((i) -> LockRequest.of("many" + i).ttl(TTL).waitFor(Duration.ofSeconds(20)))
			.map((request) -> this.here.acquireAsync(request).toCompletableFuture())
			.toList()
			.stream()
			.map((future) -> future.join())
			.toList();
		long end = System.nanoTime() + TTL.toNanos() / 3 * 2;
		await().pollInterval(Duration.ofMillis(50)).until(() -> {
			assertThat(leases).allMatch((lease) -> lease.remaining().compareTo(TTL.dividedBy(2)) > 0);
			return System.nanoTime() > end;
		});
		assertThat(this.redis.events).noneMatch(LockEvent.RenewalFailed.class::isInstance)
			.noneMatch(LockEvent.Lost.class::isInstance);
		CompletableFuture.allOf(
				leases.stream().map((lease) -> lease.release().toCompletableFuture()).toArray(CompletableFuture[]::new))

			.join();
		// Releases may have to be sent again with so many at once; the lease would last
		// longer.
		for (int i : new int[] { 0, LOCKS - 1 }) {
			this.there.acquire(LockRequest.of("many" + i).waitFor(TTL.dividedBy(2))).close();
		}
	}

	private static LockRequest once(String key) {
		return LockRequest.of(key).waitFor(Duration.ZERO);
	}

	private String scriptCalls() {
		return this.admin.info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_evalsha:"))
			.map((line) -> line.substring(0, line.indexOf(',')))
			.findAny()
			.orElseThrow();
	}

}
