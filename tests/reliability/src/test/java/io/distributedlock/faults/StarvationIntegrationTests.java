package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when threads of the user's get in the way of the library's:
 * row 27 of the table of faults.
 */
@Tag("alone")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("one processor")
class StarvationIntegrationTests {

	private static final String KEY = "order-48";

	private static final Duration TTL = Duration.ofMillis(4500);

	private static final Duration BUSY_MACHINE = Duration.ofSeconds(10);

	/** More than the library has threads for callbacks, of either kind. */
	private static final int BLOCKED = 8;

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(30));

	private final CountDownLatch go = new CountDownLatch(1);

	private FaultyRedis redis;

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	@BeforeEach
	void start() {
		this.redis = new FaultyRedis();
		this.here = this.redis.instance();
		this.there = this.redis.instance();
	}

	@AfterEach
	void stop() throws Exception {
		this.go.countDown();
		this.redis.close();
	}

	/** Row 27: every thread for callbacks is blocked by code of the user's. */
	@Test
	void locksWhenEveryCallbackIsBlockedWorkInTime() {
		Lease lost = this.here.acquire(REQUEST);
		blockContinuations();
		blockLossActions();
		Lease kept = this.here.acquire(LockRequest.of("kept").ttl(TTL));
		Renewal.awaitNext(kept);
		Renewal.awaitNext(kept);
		kept.close();
		SingleTry.answer(() -> this.there.acquire(LockRequest.of("kept").waitFor(Duration.ZERO))).close();
		this.redis.server.pause();
		Duration left = lost.remaining();
		long start = System.nanoTime();
		await().pollInterval(Duration.ofMillis(5)).until(() -> !lost.isHeld());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(left.plus(BUSY_MACHINE));
		this.redis.server.resume();
		this.there.acquire(REQUEST).close();
		CompletableFuture<Void> told = new CompletableFuture<>();
		lost.onLost(() -> told.complete(null));
		this.go.countDown();
		told.join();
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
	}

	private void blockContinuations() {
		AtomicInteger blocked = new AtomicInteger();
		for (int i = 0; i < BLOCKED; i++) {
			LockRequest request = LockRequest.of("continuation" + i);
			// A continuation of a complete future would run on this thread.
			try (Lease busy = this.there.acquire(request)) {
				assertThat(busy.isHeld()).isTrue();
				this.here.acquireAsync(request).thenAccept((lease) -> {
					blocked.incrementAndGet();
					awaitGo();
					lease.close();
				});
			}
		}
		await().until(() -> blocked.get() >= 4);
	}

	private void blockLossActions() {
		List<Lease> brief = new ArrayList<>();
		AtomicInteger blocked = new AtomicInteger();
		for (int i = 0; i < BLOCKED; i++) {
			Lease lease = this.here.acquire(LockRequest.of("loss" + i).ttl(Duration.ofMillis(100)).renew(false));
			lease.onLost(() -> {
				blocked.incrementAndGet();
				awaitGo();
			});
			brief.add(lease);
		}
		await().until(() -> blocked.get() >= 2);
		await().until(() -> brief.stream().noneMatch(Lease::isHeld));
	}

	private void awaitGo() {
		try {
			this.go.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Row 27: the process gets ever less of the processor, and has busy threads to spend
	 * it on. However late it notices, it has not believed in the lock while another had
	 * it.
	 */
	@Test
	void processThatIsStarvedNeverBelievesInALockOfAnother() throws Exception {
		try (StarvedProcess holder = new StarvedProcess(this.redis.server.host(), this.redis.server.port(), KEY,
				Duration.ofMillis(200))) {
			holder.throttle();
			Lease next = this.here.acquire(REQUEST);
			long taken = System.nanoTime();
			assertThat(next.fencingToken()).isGreaterThan(holder.token);
			holder.relieve();
			assertThat(holder.lastBelieved()).isLessThan(taken);
			assertThat(next.isHeld()).isTrue();
		}
	}

}
