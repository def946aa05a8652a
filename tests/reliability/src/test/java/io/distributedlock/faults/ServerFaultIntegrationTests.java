package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The guarantees of the locks when something happens to the server. Each test uses a
 * server of its own.
 */
class ServerFaultIntegrationTests extends TwoInstances {

	private static final String KEY = "order:42";

	/** A lease that is to be lost. */
	private static final Duration SHORT = Duration.ofMillis(1500);

	private static final Duration TTL = Duration.ofMillis(4500);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	@Test
	void outageIsAStoreFailureNeverABusyLock() {
		startWith();
		Lease lease = this.here.acquire(REQUEST.ttl(SHORT));
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
		startWith();
		this.redis.server.kill();
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST.waitFor(Duration.ofSeconds(30)))
			.toCompletableFuture();
		this.redis.server.start();
		assertThat(waiting.get().isHeld()).isTrue();
	}

	@Test
	void stoppedServerCostsTheHolderItsLeaseAndNoReleaseHangs() {
		startWith();
		Lease lease = this.here.acquire(REQUEST.ttl(SHORT));
		this.redis.server.pause();
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		this.redis.server.resume();
		Lease next = this.there.acquire(REQUEST);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		Renewal.awaitNext(next);
		assertThat(SingleTry.of(this.here, ONCE)).isEmpty();
	}

	@Test
	void releaseWhileTheServerIsStoppedReturnsAndIsAppliedLater() {
		startWith();
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(60)));
		this.redis.server.pause();
		lease.close();
		this.redis.server.resume();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	@Test
	void acquireThatIsAppliedAfterTheCallerGaveUpIsAbandoned() {
		startWith();
		this.here.acquire(REQUEST).close();
		this.redis.server.pause();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.acquire(ONCE.ttl(Duration.ofMinutes(10)).waitFor(Duration.ofMillis(200))));
		this.redis.server.resume();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
	}

	@Test
	void deletedKeyIsToldToTheHolderAndFlushedTokensGrowOn() {
		startWith();
		Lease lease = this.here.acquire(REQUEST);
		this.redis.admin().flushall();
		this.redis.awaitLoss(KEY, LossReason.NOT_OWNER);
		assertThat(this.there.acquire(REQUEST).fencingToken()).isGreaterThan(lease.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
	}

}
