package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The promises of {@link LockRequest#lockDelay}, on every store. A store without delays
 * refuses them by name.
 */
public abstract class LockDelayContractTests extends TwoInstances {

	private static final Duration HOUR = Duration.ofHours(1);

	private boolean delays;

	protected LockDelayContractTests(SharedLocks locks) {
		super(locks);
	}

	@BeforeEach
	void findOut() {
		this.delays = this.here.offers(StoreCapability.LOCK_DELAY);
	}

	@Test
	void delayIsRefusedByNameWhereTheStoreHasNone() {
		LockRequest request = request().lockDelay(HOUR);
		if (this.delays) {
			this.here.acquire(request).close();
			return;
		}
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.acquire(request))
			.withMessageContaining("LOCK_DELAY")
			.withMessageContaining(this.key);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.acquire(LockRequest.ofAll(this.key, this.key + "-2").lockDelay(HOUR)))
			.withMessageContaining("LOCK_DELAY");
		assertThat(this.here.acquireAsync(request)).failsWithin(LONG)
			.withThrowableThat()
			.withMessageContaining("LOCK_DELAY");
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void lockOfADeadHolderIsClosedUntilTheDelayIsOver(LockMode mode) {
		assumeDelays();
		long start = System.nanoTime();
		die(request().mode(mode).ttl(BRIEF).lockDelay(RENEWED));
		await().until(() -> this.there.inspect(this.key).holders().isEmpty());
		assertThat(this.there.isLocked(this.key)).isTrue();
		assertThat(this.there.inspect(this.key).keptFor()).isPositive().isLessThanOrEqualTo(RENEWED);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.there.acquire(once()))
			.withMessageContaining("no caller, but it is kept for up to ")
			.withMessageContaining("lockDelay");
		assertThat(this.there.acquire(request()).isHeld()).isTrue();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(BRIEF.plus(RENEWED));
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void releasedLockHasNoDelay(LockMode mode) {
		assumeDelays();
		this.here.acquire(request().mode(mode).lockDelay(HOUR)).close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void leaseThatIsClosedAfterItsLossLeavesTheLockClosed() {
		assumeDelays();
		Lease lease = this.here.acquire(request().ttl(BRIEF).renew(false).lockDelay(HOUR));
		await().until(() -> this.there.inspect(this.key).holders().isEmpty());
		lease.release();
		awaitUnusedHere();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		assertThat(this.there.forceRelease("", this.key, null)).isEqualTo(1);
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	private void awaitUnusedHere() {
		await().until(() -> this.here.engine().instance.backgroundCount() == 0);
	}

	@Test
	void callersOfOneInstanceHandTheLockOnWithTheirDelay() {
		assumeDelays();
		LockRequest request = request().lockDelay(HOUR);
		Lease first = this.here.acquire(request);
		CompletableFuture<Lease> second = this.here.acquireAsync(request).toCompletableFuture();
		first.close();
		second.join().close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void waiterOfTheOtherInstanceHasADelayToo() {
		assumeDelays();
		Lease first = this.here.acquire(request());
		DefaultLockRegistry dying = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
		CompletableFuture<Lease> next = dying.acquireAsync(request().ttl(BRIEF).lockDelay(HOUR)).toCompletableFuture();
		awaitWaiting(dying, 1);
		first.close();
		next.join();
		dying.close();
		await().until(() -> this.there.inspect(this.key).holders().isEmpty());
		assertThat(this.there.tryAcquire(once())).isEmpty();
	}

	@Test
	void severalKeysAreClosedTogether() {
		assumeDelays();
		die(LockRequest.ofAll(this.key, this.key + "-2").ttl(BRIEF).lockDelay(HOUR));
		for (String key : new String[] { this.key, this.key + "-2" }) {
			await().until(() -> this.there.inspect(key).holders().isEmpty());
			assertThat(this.there.tryAcquire(LockRequest.of(key))).isEmpty();
		}
	}

	@Test
	void readerHasNoDelayAndSemaphoreIsRefused() {
		die(request().mode(LockMode.READ).ttl(BRIEF).lockDelay(HOUR));
		assertThat(this.there.acquire(request()).isHeld()).isTrue();
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> this.here.acquire(request().permits(2).lockDelay(HOUR)))
			.withMessageContaining("lockDelay")
			.withMessageContaining("SEMAPHORE");
	}

	@Test
	void longerDelayOfAReentrantCallIsRefused() {
		assumeDelays();
		this.here.acquire(request().lockDelay(RENEWED).ownedByCurrentThread());
		this.here.acquire(request().lockDelay(BRIEF).ownedByCurrentThread()).close();
		assertThatIllegalStateException()
			.isThrownBy(() -> this.here.acquire(request().lockDelay(HOUR).ownedByCurrentThread()))
			.withMessageContaining("lockDelay");
	}

	/** The instance is gone: no release, no renewal. */
	private void die(LockRequest request) {
		DefaultLockRegistry dying = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
		dying.acquire(request);
		dying.close();
	}

	private void assumeDelays() {
		assumeTrue(this.delays, "the store has no delays");
	}

}
