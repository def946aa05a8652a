package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when the code under a lock fails or its thread ends: rows 25
 * and 26 of the table of faults.
 */
class BodyFaultIntegrationTests {

	private static final String KEY = "order-47";

	private static final Duration TTL = Duration.ofMillis(4500);

	private static final Duration PERIOD = TTL.dividedBy(3);

	/** The longest a waiter sleeps before it looks again. */
	private static final Duration POLL = Duration.ofSeconds(1);

	private static final Duration BUSY_MACHINE = Duration.ofSeconds(15);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	private FaultyRedis redis;

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	private LockTemplate locks;

	@BeforeEach
	void start() {
		this.redis = new FaultyRedis();
		this.here = this.redis.instance();
		this.there = this.redis.instance();
		this.locks = new LockTemplate(this.here);
	}

	@AfterEach
	void stop() throws Exception {
		this.redis.close();
	}

	/** Row 25: the body fails. */
	@Test
	void failureOfTheBodyIsThrownAndTheLockIsFreeAtOnce() {
		assertThatThrownBy(() -> execute(() -> {
		})).isInstanceOf(BodyException.class).hasNoSuppressedExceptions();
		SingleTry.answer(() -> this.there.acquire(ONCE)).close();
	}

	/** Row 25: the body fails, and so does the release, because the lease was lost. */
	@Test
	void failureOfTheBodyWinsOverTheLossWhichIsSuppressed() {
		assertThatThrownBy(() -> execute(() -> {
			this.redis.admin().flushall();
			this.redis.awaitLoss(KEY, LossReason.NOT_OWNER);
		})).isInstanceOf(BodyException.class)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		SingleTry.answer(() -> this.there.acquire(ONCE)).close();
	}

	/** Row 25: the body fails, and the server does not answer the release. */
	@Test
	void failureOfTheBodyWinsOverAReleaseWithoutAnAnswer() {
		assertThatThrownBy(() -> execute(this.redis.server::pause)).isInstanceOf(BodyException.class)
			.hasNoSuppressedExceptions();
		await().until(() -> this.redis.events.stream().anyMatch(LockEvent.ReleaseFailed.class::isInstance));
		this.redis.server.resume();
		long back = System.nanoTime();
		this.there.acquire(REQUEST).close();
		assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(TTL.plus(POLL).plus(BUSY_MACHINE));
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	/** Row 25: {@code unlock()} fails, and the thread can lock again. */
	@Test
	void unlockOfALostLeaseThrowsAndLeavesNothingInTheThread() {
		LeaseLock lock = this.here.getLock(KEY);
		lock.lock(TTL);
		this.redis.admin().flushall();
		Lease next = this.there.acquire(REQUEST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(next.isHeld()).isTrue();
		assertThat(lock.tryLock()).isFalse();
		next.close();
		lock.lock(TTL);
		assertThat(lock.lease().fencingToken()).isGreaterThan(next.fencingToken());
		lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	/** Row 26: the thread that owns the lock ends without releasing it. */
	@Test
	void lockOfAThreadThatHasEndedIsFreeAfterPeriodAndLease() throws Exception {
		CompletableFuture<Lease> held = new CompletableFuture<>();
		Thread owner = new Thread(() -> {
			this.here.getLock(KEY).lock(TTL);
			held.complete(this.here.getLock(KEY).lease());
			Renewal.awaitNext(held.join());
		});
		owner.start();
		long token = held.join().fencingToken();
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST).toCompletableFuture();
		owner.join();
		long ended = System.nanoTime();
		assertThat(waiting).isNotDone();
		assertThat(waiting.join().fencingToken()).isGreaterThan(token);
		assertThat(Duration.ofNanos(System.nanoTime() - ended)).isLessThan(PERIOD.plus(TTL).plus(BUSY_MACHINE));
		assertThat(held.join().isHeld()).isFalse();
		this.redis.awaitLoss(KEY, LossReason.OWNER_ENDED);
	}

	private void execute(Runnable fault) {
		this.locks.execute(REQUEST, (lease) -> {
			fault.run();
			throw new BodyException();
		});
	}

	private static final class BodyException extends RuntimeException {

	}

}
