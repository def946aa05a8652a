package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the locks promise when something happens to the server or to the connections. Each
 * test tortures a server of its own.
 */
@Timeout(90)
class ServerFaultIntegrationTests {

	private static final String KEY = "order:42";

	private static final Duration TTL = Duration.ofMillis(1500);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	private FaultyRedis redis;

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	private void start(String... settings) {
		this.redis = new FaultyRedis(settings);
		this.here = this.redis.instance();
		this.there = this.redis.instance();
	}

	@AfterEach
	void stop() throws Exception {
		this.redis.close();
	}

	@Test
	void scriptFlushIsNotNoticed() {
		start();
		RedisCommands<String, String> admin = this.redis.admin();
		Lease lease = this.here.acquire(REQUEST);
		admin.scriptFlush();
		assertThat(this.there.tryAcquire(ONCE)).isEmpty();
		admin.scriptFlush();
		awaitRenewal(lease);
		admin.scriptFlush();
		lease.close();
		admin.scriptFlush();
		assertThat(this.there.tryAcquire(ONCE)).isPresent();
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	@Test
	void killedCommandConnectionsLoseNothing() throws Exception {
		start();
		RedisCommands<String, String> admin = this.redis.admin();
		Lease lease = this.here.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST).toCompletableFuture();
		AtomicInteger renewals = new AtomicInteger();
		for (int i = 0; i < 5; i++) {
			admin.clientKill(KillArgs.Builder.typeNormal().skipme());
			awaitRenewal(lease);
			renewals.incrementAndGet();
			assertThat(lease.isHeld()).isTrue();
		}
		admin.clientKill(KillArgs.Builder.typeNormal().skipme());
		lease.close();
		Lease next = waiting.get(20, TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		admin.clientKill(KillArgs.Builder.typeNormal().skipme());
		next.close();
		assertThat(this.here.tryAcquire(REQUEST)).isPresent();
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	@Test
	void killedSubscriptionCostsAWaiterOnePollAtMost() throws Exception {
		start();
		RedisCommands<String, String> admin = this.redis.admin();
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(60)));
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST).toCompletableFuture();
		await().until(() -> !admin.pubsubChannels("lock:*").isEmpty());
		assertThat(admin.clientKill(KillArgs.Builder.typePubsub())).isPositive();
		lease.close();
		assertThat(waiting.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
		await().until(() -> !admin.pubsubChannels("lock:*").isEmpty());
	}

	@Test
	void outageIsAStoreFailureNeverABusyLock() {
		start();
		Lease lease = this.here.acquire(REQUEST);
		this.redis.server.kill();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.there.acquire(ONCE.waitFor(Duration.ofMillis(300))))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.acquire(ONCE));
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
		assertThat(lease.isHeld()).isFalse();
		this.redis.server.start();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
	}

	@Test
	void waiterLivesThroughAnOutageWithinItsBudget() throws Exception {
		start();
		this.redis.server.kill();
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST.waitFor(Duration.ofSeconds(30)))
			.toCompletableFuture();
		this.redis.server.start();
		assertThat(waiting.get(30, TimeUnit.SECONDS).isHeld()).isTrue();
	}

	@Test
	void stoppedServerCostsTheHolderItsLeaseInTimeAndReleaseDoesNotHang() {
		start();
		Lease lease = this.here.acquire(REQUEST);
		this.redis.server.pause();
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		this.redis.server.resume();
		Lease next = this.there.acquire(REQUEST);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		awaitRenewal(next);
		assertThat(this.here.tryAcquire(ONCE)).isEmpty();
	}

	@Test
	void releaseWhileTheServerIsStoppedReturnsAndIsMadeUpFor() {
		start();
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(60)));
		this.redis.server.pause();
		lease.close();
		this.redis.server.resume();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	@Test
	void acquireThatIsAppliedAfterTheCallerGaveUpIsTakenBack() {
		start();
		this.here.acquire(REQUEST).close();
		this.redis.server.pause();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.acquire(ONCE.ttl(Duration.ofMinutes(10)).waitFor(Duration.ofMillis(200))));
		this.redis.server.resume();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
	}

	@Test
	void deletedKeyIsToldToTheHolderAndFlushedTokensGrowOn() {
		start();
		Lease lease = this.here.acquire(REQUEST);
		this.redis.admin().flushall();
		this.redis.awaitLoss(KEY, LossReason.NOT_OWNER);
		assertThat(this.there.acquire(REQUEST).fencingToken()).isGreaterThan(lease.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
	}

	/** Wait until the remaining validity jumps up, as only a renewal lets it. */
	private static void awaitRenewal(Lease lease) {
		Duration[] last = { lease.remaining() };
		await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(5)).until(() -> {
			Duration before = last[0];
			last[0] = lease.remaining();
			return last[0].compareTo(before) > 0;
		});
	}

}
