package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
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
 * The promises of the {@link LeaseHandle handle} of a lease, on every store: one instance
 * holds the lock, and the other one has the handle. A store without handles refuses them
 * by name.
 */
public abstract class LeaseHandleContractTests extends TwoInstances {

	private static final Duration HOUR = Duration.ofHours(1);

	private boolean handles;

	protected LeaseHandleContractTests(SharedLocks locks) {
		super(locks);
	}

	@BeforeEach
	void findOut() {
		this.handles = this.here.store().capabilities().contains(StoreCapability.HANDLES);
	}

	@Test
	void handleIsRefusedByNameWhereTheStoreHasNone() {
		Lease lease = this.here.acquire(request());
		LeaseHandle handle = new LeaseHandle("", List.of(new LeaseHandle.Part("0".repeat(32), List.of(this.key), 1)));
		if (this.handles) {
			assertThat(lease.handle().parts().get(0).keys()).containsExactly(this.key);
			return;
		}
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::handle).withMessageContaining("HANDLES");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.release(handle))
			.withMessageContaining("HANDLES");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.extend(handle, HOUR))
			.withMessageContaining("HANDLES");
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ", "SEMAPHORE" })
	void otherInstanceReleasesAndTheHolderIsTold(LockMode mode) {
		Lease lease = this.here.acquire(in(mode));
		LeaseHandle handle = handle(lease);
		assertThat(handle.parts().get(0).fencingToken()).isEqualTo(lease.fencingToken());
		this.here.engine().instance.store.listen();
		assertThat(this.there.release(handle)).isTrue();
		assertThat(this.there.release(handle)).as("again").isTrue();
		LockRequest next = (mode == LockMode.SEMAPHORE) ? in(mode) : request();
		Lease other = this.there.acquire(next);
		assertThat(this.here.release(handle)).as("after the next has it").isTrue();
		assertThat(other.isHeld()).isTrue();
		this.here.engine().wakeUpAll();
		awaitLoss(LossReason.NOT_OWNER);
		assertThat(lease.isLost()).isTrue();
	}

	@Test
	void holderInTheSameInstanceIsToldBeforeTheReleaseReturns() {
		Lease lease = this.here.acquire(request());
		assertThat(this.here.release(handle(lease))).isTrue();
		assertThat(lease.isLost()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::handle);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ", "SEMAPHORE" })
	void otherInstanceExtendsALeaseThatOutlivesItsHolder(LockMode mode) {
		DefaultLockRegistry dying = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
		LeaseHandle handle = handle(dying.acquire(in(mode).ttl(RENEWED)));
		assertThat(this.there.extend(handle, HOUR)).isTrue();
		dying.close();
		long end = System.nanoTime() + RENEWED.toNanos();
		await().until(() -> System.nanoTime() - end >= 0);
		LockRequest next = (mode == LockMode.SEMAPHORE) ? in(mode) : request();
		assertThat(this.here.tryAcquire(next.waitFor(Duration.ZERO))).isEmpty();
		assertThat(this.there.release(handle)).isTrue();
		assertThat(this.here.acquire(next).isHeld()).isTrue();
		assertThat(this.there.extend(handle, HOUR)).isFalse();
	}

	@Test
	void holderRenewsOnAfterAnExtendByItsHandle() {
		Lease lease = this.here.acquire(request().ttl(RENEWED));
		await().until(() -> this.here.held().stream().anyMatch((held) -> held.renewals() > 0));
		assertThat(this.there.extend(handle(lease), RENEWED)).isTrue();
		int before = this.here.held().get(0).renewals();
		await().until(() -> this.here.held().get(0).renewals() > before + 1);
		lease.close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void severalKeysAreExtendedAndReleasedTogether() {
		List<String> keys = List.of(this.key, this.key + "-2", this.key + "-3");
		LeaseHandle handle = handle(this.here.acquire(LockRequest.ofAll(keys)));
		assertThat(this.there.extend(handle, HOUR)).isTrue();
		assertThat(this.there.release(handle)).isTrue();
		keys.forEach((key) -> assertThat(this.there.tryAcquire(LockRequest.of(key))).isPresent());
		assertThat(this.there.extend(handle, HOUR)).isFalse();
	}

	/** The next caller would have had the same request, and its lock was freed. */
	@Test
	void lockWhoseHandleIsKnownIsNotHandedOnWithinTheInstance() {
		Lease first = this.here.acquire(request());
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		waiting.add(this.here.acquireAsync(request()).toCompletableFuture());
		waiting.add(this.here.acquireAsync(request()).toCompletableFuture());
		first.close();
		Lease second = waiting.get(0).join();
		LeaseHandle handle = handle(second);
		second.close();
		Lease third = waiting.get(1).join();
		assertThat(this.there.release(handle)).as("a later request of the instance has it").isFalse();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		this.here.engine().wakeUpAll();
		third.checkHeld();
		assertThat(third.isHeld()).isTrue();
	}

	@Test
	void handleOfAClosedLeaseIsRefused() {
		Lease lease = this.here.acquire(request());
		lease.close();
		assertThatIllegalStateException().isThrownBy(lease::handle);
	}

	@Test
	void handleWithAnImpossibleTtlIsRefused() {
		LeaseHandle handle = handle(this.here.acquire(request()));
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> this.there.extend(handle, Duration.ofMillis(1)));
	}

	/** As text, as it reaches another process. */
	private LeaseHandle handle(Lease lease) {
		assumeTrue(this.handles, "the store has no handles");
		return LeaseHandle.parse(lease.handle().toString());
	}

	private LockRequest in(LockMode mode) {
		return (mode == LockMode.SEMAPHORE) ? request().permits(1) : request().mode(mode);
	}

}
