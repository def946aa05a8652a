package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.test.store.DelegatingLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A lock goes from one process to another by the release of the one and a message to the
 * other, as the server counts it.
 */
class ClaimIntegrationTests {

	private static final LockRequest REQUEST = LockRequest.of("claimed").waitFor(Duration.ofSeconds(30));

	/** The renewal of a claim is repeated that is not answered within this. */
	private static final Duration REPEATED = Duration.ofMillis(250);

	private final RedisServer server = RedisServers.start();

	private final RedisConnectionFactory factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, this.server);

	private final CountingStore attempts = new CountingStore();

	private final DefaultLockRegistry here = new DefaultLockRegistry(this.attempts);

	private final DefaultLockRegistry there = new DefaultLockRegistry(new CountingStore());

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		DriverUnderTest.close(this.factory);
		this.server.close();
	}

	/** From here the waiter's instance hears messages. */
	private void subscribe(DefaultLockRegistry waiting, DefaultLockRegistry holding) throws Exception {
		int known = channels();
		Lease held = holding.acquire(REQUEST);
		CompletableFuture<Lease> waiter = waiting.acquireAsync(REQUEST).toCompletableFuture();
		await().until(() -> channels() > known);
		held.close();
		waiter.get().close();
	}

	private int channels() {
		return ((List<?>) this.server.ask("PUBSUB", "CHANNELS", "*:!wake:*")).size();
	}

	@Test
	void releaseAndOneMessageHandTheLockOn() throws Exception {
		subscribe(this.here, this.there);
		int direct = 0;
		int quick = 0;
		for (int i = 0; i < 50; i++) {
			Lease held = this.there.acquire(REQUEST);
			long start = System.nanoTime();
			Map<String, Long> before = calls();
			int attemptsBefore = this.attempts.count.get();
			CompletableFuture<Lease> waiter = this.here.acquireAsync(REQUEST).toCompletableFuture();
			await().pollInterval(Duration.ofMillis(1)).until(() -> more(before, "evalsha") >= 1);
			held.close();
			Lease lease = waiter.get();
			direct += (this.attempts.count.get() == attemptsBefore + 1) ? 1 : 0;
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.fencingToken()).isGreaterThan(held.fencingToken());
			assertThat(more(before, "publish")).isEqualTo(1);
			await().until(() -> lease.remaining().compareTo(Duration.ofSeconds(20)) > 0);
			if (System.nanoTime() - start < REPEATED.toNanos()) {
				// The attempt that waits, the release, the renewal, and one repeated.
				assertThat(more(before, "evalsha")).isLessThanOrEqualTo(4);
				quick++;
			}
			lease.close();
		}
		assertThat(quick).as("hand-offs on a machine that did not stand still").isPositive();
		assertThat(direct).as("hand-offs without another attempt").isGreaterThan(0);
	}

	/** Each gets the lock in turn, without a pause and without a poll. */
	@Test
	void instancesTakeTurns() throws Exception {
		subscribe(this.here, this.there);
		subscribe(this.there, this.here);
		Lease lease = this.here.acquire(REQUEST);
		for (int i = 0; i < 100; i++) {
			DefaultLockRegistry next = (i % 2 == 0) ? this.there : this.here;
			Map<String, Long> before = calls();
			CompletableFuture<Lease> waiter = next.acquireAsync(REQUEST).toCompletableFuture();
			await().pollInterval(Duration.ofMillis(1)).until(() -> more(before, "evalsha") >= 1);
			lease.close();
			lease = waiter.get();
			assertThat(lease.isHeld()).isTrue();
		}
		lease.close();
	}

	private long more(Map<String, Long> before, String command) {
		return calls().getOrDefault(command, 0L) - before.getOrDefault(command, 0L);
	}

	private Map<String, Long> calls() {
		return CommandCounts.of(this.server);
	}

	/** Counts attempts to acquire. */
	private final class CountingStore extends DelegatingLockStore {

		private final AtomicInteger count = new AtomicInteger();

		CountingStore() {
			super(new RedisLockStore(ClaimIntegrationTests.this.factory, StoreUnderTest.PATIENT));
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
			this.count.incrementAndGet();
			return super.acquire(command);
		}

	}

}
