package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.redis.ShownLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when the server's memory is used up: rows 19 and 20 of the
 * table of faults.
 */
class MemoryFaultIntegrationTests extends InstancesOnServer {

	private static final String KEY = "order-45";

	private static final Duration TTL = Duration.ofSeconds(6);

	private static final Duration PERIOD = TTL.dividedBy(3);

	private static final Duration BUSY_MACHINE = Duration.ofMillis(3900);

	private static final Duration BUDGET = Duration.ofSeconds(1);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	/** Row 19: {@code OOM}, nothing is evicted. */
	@Test
	void newLockWhenMemoryIsUsedUpIsRetriedWithinTheBudget() {
		useUpMemory("noeviction");
		// A request that is not answered says nothing of the memory.
		await().untilAsserted(() -> assertOutOfMemory(ONCE));
		long start = System.nanoTime();
		assertOutOfMemory(REQUEST.waitFor(BUDGET));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BUDGET);
		CompletableFuture<Lease> waiting = this.here.acquireAsync(REQUEST).toCompletableFuture();
		this.admin.configSet("maxmemory", "0");
		assertThat(waiting.join().isHeld()).isTrue();
	}

	/** Row 19: {@code OOM}, nothing is evicted. */
	@Test
	void heldLockWhenMemoryIsUsedUpIsRenewedAndReleased() {
		Lease lease = this.here.acquire(REQUEST);
		useUpMemory("noeviction");
		Renewal.awaitNext(lease);
		Renewal.awaitNext(lease);
		lease.close();
		assertThat(ShownLock.of(this.admin, "lock::" + KEY).get("status")).isEqualTo("released");
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	/** Row 19: {@code OOM}, nothing is evicted. */
	@Test
	void waiterWhenMemoryIsUsedUpWaitsOnAndRemovesItsEntry() {
		Lease lease = this.here.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST).toCompletableFuture();
		await().until(() -> this.admin.hexists("lock::" + KEY, "waiters"));
		useUpMemory("noeviction");
		Renewal.awaitNext(lease);
		assertThat(waiting).isNotDone();
		waiting.cancel(true);
		await().until(() -> !this.admin.hexists("lock::" + KEY, "waiters"));
		assertThat(ShownLock.of(this.admin, "lock::" + KEY).all("last")).as("refuses the request when it comes late")
			.anyMatch((line) -> line.contains(" gone "));
		lease.close();
	}

	/** Row 20: the lock is evicted while it is held. */
	@ParameterizedTest
	@ValueSource(strings = { "volatile-ttl", "volatile-lru", "volatile-lfu", "volatile-random", "allkeys-lru",
			"allkeys-lfu", "allkeys-random" })
	void holderWhenItsLockIsEvictedIsToldWithinAPeriodAndTokensGrowOn(String policy) {
		Lease lease = this.here.acquire(REQUEST);
		CompletableFuture<Long> told = new CompletableFuture<>();
		lease.onLost(() -> told.complete(System.nanoTime()));
		long evicted = System.nanoTime();
		useUpMemory(policy);
		assertThat(this.admin.exists("lock::" + KEY)).isZero();
		assertThat(Duration.ofNanos(told.join() - evicted)).isLessThan(PERIOD.plus(BUSY_MACHINE));
		assertThat(lease.isHeld()).isFalse();
		this.redis.awaitLoss(KEY, LossReason.NOT_OWNER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		this.admin.configSet("maxmemory", "0");
		assertThat(this.there.acquire(REQUEST).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	private void useUpMemory(String policy) {
		this.admin.configSet("maxmemory-policy", policy);
		this.admin.configSet("maxmemory", "1");
	}

	private void assertOutOfMemory(LockRequest request) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.acquire(request))
			.withMessageContaining("OOM")
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
	}

}
