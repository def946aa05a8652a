package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of {@link Lease#extend} to the holder of a lease, on every store.
 */
public abstract class ExtendContractTests extends TwoInstances {

	private static final Duration HOUR = Duration.ofHours(1);

	protected ExtendContractTests(SharedLocks locks) {
		super(locks);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ", "SEMAPHORE" })
	void extendShortensTheLease(LockMode mode) {
		Lease lease = this.here.acquire(in(mode).ttl(HOUR).renew(false));
		lease.extend(BRIEF);
		assertThat(lease.remaining()).isLessThanOrEqualTo(BRIEF);
		LockRequest next = (mode == LockMode.SEMAPHORE) ? in(mode) : request();
		assertThat(this.there.acquire(next).isHeld()).isTrue();
		assertThat(lease.isLost()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(HOUR));
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ", "SEMAPHORE" })
	void extendLengthensTheLease(LockMode mode) {
		Lease lease = this.here.acquire(in(mode).ttl(RENEWED).renew(false));
		long token = lease.fencingToken();
		lease.extend(HOUR);
		assertThat(lease.remaining()).isBetween(HOUR.dividedBy(2), HOUR);
		assertThat(lease.fencingToken()).isEqualTo(token);
		awaitPassed(RENEWED);
		assertThat(lease.isHeld()).isTrue();
		LockRequest next = (mode == LockMode.SEMAPHORE) ? in(mode) : request();
		assertThat(this.there.tryAcquire(next.waitFor(Duration.ZERO))).isEmpty();
		lease.close();
		assertThat(this.there.acquire(next).isHeld()).isTrue();
	}

	@Test
	void extendOfAQueuedModeIsNoDifferent() {
		Lease lease = this.here.acquire(request().mode(this.locks.queued()).ttl(HOUR).renew(false));
		lease.extend(BRIEF);
		assertThat(this.there.acquire(request().mode(this.locks.queued())).isHeld()).isTrue();
	}

	@Test
	void renewedLeaseThatWasShortenedIsKept() {
		Lease lease = this.here.acquire(request().ttl(HOUR));
		lease.extend(RENEWED);
		awaitPassed(RENEWED.plus(BRIEF));
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.remaining()).isLessThanOrEqualTo(RENEWED);
		assertThat(this.there.tryAcquire(once())).isEmpty();
		lease.close();
		assertThat(this.events).doesNotHaveAnyElementsOfTypes(LockEvent.Lost.class);
	}

	/** The instance is gone: no release, no renewal. */
	@Test
	void lockOfAHolderThatDiesIsFreeAfterTheNewTtl() {
		DefaultLockRegistry dying = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
		Lease lease = dying.acquire(request().ttl(HOUR));
		lease.extend(RENEWED);
		dying.close();
		assertThat(this.there.acquire(request()).isHeld()).isTrue();
	}

	@Test
	void extendKeepsTheLockTaken() {
		Lease lease = this.here.acquire(request().ttl(HOUR));
		lease.extend(RENEWED, HOUR);
		lease.close();
		assertThat(this.there.tryAcquire(once())).isEmpty();
	}

	@Test
	void extendKeepsTheLockTakenNoLonger() {
		Lease lease = this.here.acquire(request().ttl(HOUR).keepFor(HOUR));
		lease.extend(HOUR, Duration.ZERO);
		lease.close();
		// A node of a quorum may get the extend after the release, and keep the lock.
		assertThat(this.there.acquire(request().waitFor(LONG)).isHeld()).isTrue();
	}

	@Test
	void extendOfTheLeaseAloneLeavesTheLockKept() {
		Lease lease = this.here.acquire(request().ttl(HOUR).keepFor(HOUR));
		lease.extend(RENEWED);
		lease.close();
		assertThat(this.there.tryAcquire(once())).isEmpty();
	}

	@Test
	void severalKeysAreExtendedAll() {
		List<String> keys = List.of(this.key, this.key + "-2", this.key + "-3");
		Lease lease = this.here.acquire(LockRequest.ofAll(keys).ttl(HOUR).renew(false));
		lease.extend(BRIEF);
		assertThat(lease.remaining()).isLessThanOrEqualTo(BRIEF);
		for (String key : keys) {
			assertThat(this.there.acquire(LockRequest.of(key).waitFor(LONG)).isHeld()).isTrue();
		}
	}

	@Test
	void severalKeysOfWhichOneIsStolenAreNotExtended() {
		Lease lease = this.here.acquire(LockRequest.ofAll(this.key, this.key + "-2").ttl(HOUR).renew(false));
		steal(this.key + "-2");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(HOUR));
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void stolenLeaseIsNotExtended() {
		Lease lease = this.here.acquire(request().ttl(HOUR));
		steal(this.key);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(HOUR));
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void extendWithoutBlockingIsConfirmed() throws Exception {
		Lease lease = this.here.acquireAsync(request().ttl(HOUR).renew(false)).toCompletableFuture().get();
		lease.extendAsync(BRIEF, null).toCompletableFuture().get();
		assertThat(lease.remaining()).isLessThanOrEqualTo(BRIEF);
		assertThat(this.there.acquire(request()).isHeld()).isTrue();
	}

	@Test
	void closedLeaseIsNotExtended() {
		Lease lease = this.here.acquire(request());
		lease.close();
		assertThatIllegalStateException().isThrownBy(() -> lease.extend(HOUR));
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	private LockRequest in(LockMode mode) {
		return (mode == LockMode.SEMAPHORE) ? request().permits(1) : request().mode(mode);
	}

	private static void awaitPassed(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		await().until(() -> System.nanoTime() - end >= 0);
	}

}
