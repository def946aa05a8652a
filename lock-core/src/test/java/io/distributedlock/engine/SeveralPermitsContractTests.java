package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseHandle;
import io.distributedlock.LockInspection;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The promises of requests for several permits, and of a number of permits that is set
 * for all, on every store. A store with one permit for a request refuses both by name.
 */
public abstract class SeveralPermitsContractTests extends TwoInstances {

	private static final int LIMIT = 5;

	private boolean several;

	protected SeveralPermitsContractTests(SharedLocks locks) {
		super(locks);
	}

	@BeforeEach
	void findOut() {
		this.several = this.here.offers(StoreCapability.SEVERAL_PERMITS);
	}

	@Test
	void severalPermitsAreRefusedByNameWhereTheStoreHasNone() {
		if (this.several) {
			take(this.here, 2).close();
			return;
		}
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> take(this.here, 2))
			.withMessageContaining("SEVERAL_PERMITS")
			.withMessageContaining("take 2 permits of '" + this.key + "'");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.setPermits("", this.key, 2))
			.withMessageContaining("SEVERAL_PERMITS");
		take(this.here, 1).close();
	}

	@Test
	void severalPermitsAreTakenAndReleasedAsOne() {
		assumeSeveral();
		Lease large = take(this.here, 3);
		Lease small = take(this.there, 2);
		assertThat(this.there.tryAcquire(once(1))).isEmpty();
		LockInspection seen = this.there.inspect(this.key);
		assertThat(seen.freePermits()).isZero();
		assertThat(seen.holders()).extracting(LockInspection.Holder::permits).containsExactlyInAnyOrder(3, 2);
		large.close();
		assertThat(this.there.inspect(this.key).freePermits()).isEqualTo(3);
		small.close();
		take(this.there, LIMIT).close();
		awaitUnused();
	}

	@Test
	void severalPermitsAreRenewedAndLostAsOne() {
		assumeSeveral();
		DefaultLockRegistry dying = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
		Lease large = dying.acquire(request().permits(LIMIT).take(4).ttl(RENEWED));
		await().until(() -> dying.held().stream().anyMatch((held) -> held.renewals() > 1));
		assertThat(this.there.tryAcquire(once(2))).isEmpty();
		dying.close();
		assertThat(large.isLost()).isTrue();
		take(this.there, LIMIT).close();
	}

	@Test
	void severalPermitsAreReleasedByAHandle() {
		assumeSeveral();
		LeaseHandle handle = take(this.here, 4).handle();
		assertThat(this.there.release(handle)).isTrue();
		take(this.there, LIMIT).close();
	}

	@Test
	void severalKeysHaveAsManyPermitsEach() {
		assumeSeveral();
		LockRequest both = LockRequest.ofAll(this.key, this.key + "-2").permits(LIMIT).take(3);
		Lease lease = this.here.acquire(both);
		for (String key : List.of(this.key, this.key + "-2")) {
			assertThat(this.there.tryAcquire(LockRequest.of(key).permits(LIMIT).take(3))).isEmpty();
		}
		lease.close();
		this.there.acquire(both.waitFor(LONG)).close();
	}

	@Test
	void waitersOfAllSizesAreServedWhenPermitsComeBack() {
		assumeSeveral();
		Lease all = take(this.there, LIMIT);
		List<CompletableFuture<Lease>> line = new ArrayList<>();
		for (int permits : new int[] { 4, 1, 2, 2 }) {
			line.add(this.here.acquireAsync(request().permits(LIMIT).take(permits)).toCompletableFuture());
		}
		awaitWaiting(this.here, 1);
		all.close();
		Lease large = line.get(0).join();
		Lease small = line.get(1).join();
		assertThat(line.get(2)).as("waits for two permits").isNotDone();
		large.close();
		List.of(line.get(2).join(), line.get(3).join(), small).forEach(Lease::close);
		awaitUnused();
	}

	/** Small requests behind a large one of their instance do not overtake it. */
	@Test
	void largeRequestIsServedInItsTurnWithinAnInstance() {
		assumeSeveral();
		Lease one = take(this.here, 3);
		CompletableFuture<Lease> large = this.here.acquireAsync(request().permits(LIMIT).take(LIMIT))
			.toCompletableFuture();
		CompletableFuture<Lease> small = this.here.acquireAsync(request().permits(LIMIT)).toCompletableFuture();
		awaitWaiting(this.here, 1);
		assertThat(small).isNotDone();
		one.close();
		large.join().close();
		small.join().close();
	}

	@Test
	void neverMorePermitsAreTakenThanThereAre() throws Exception {
		assumeSeveral();
		AtomicInteger taken = new AtomicInteger();
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? this.here : this.there;
			int permits = 1 + i % 3;
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < 25; round++) {
					try (Lease lease = registry.acquire(request().permits(LIMIT).take(permits))) {
						assertThat(taken.addAndGet(permits)).isLessThanOrEqualTo(LIMIT);
						Thread.yield();
						taken.addAndGet(-permits);
					}
				}
				return null;
			}));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
		awaitUnused();
	}

	@Test
	void numberThatWasSetCountsBeforeThatOfRequests() {
		assumeSeveral();
		this.here.setPermits("", this.key, 2);
		Lease first = this.there.acquire(request().permits(7));
		Lease second = take(this.here, 1);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.there.acquire(request().permits(7).waitFor(Duration.ZERO)))
			.withMessageContaining("all permits are taken, one of them by ");
		CompletableFuture<Lease> waiting = this.there.acquireAsync(request().permits(LIMIT)).toCompletableFuture();
		awaitWaiting(this.there, 2);
		this.here.setPermits("", this.key, 3);
		List.of(waiting.join(), first, second).forEach(Lease::close);
		assertThat(this.there.inspect(this.key).permits()).as("it stays").isEqualTo(3);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> take(this.there, 4))
			.withMessageContaining("4 permits")
			.withMessageContaining("to 3")
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		this.there.setPermits("", this.key, 0);
		take(this.there, LIMIT).close();
	}

	/** The message said one permit, whatever the holder had. */
	@Test
	void busyMessageCountsNoPermitsOfTheHolder() {
		assumeSeveral();
		Lease four = take(this.here, 4);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.there.acquire(request().permits(LIMIT).take(2).waitFor(Duration.ZERO)))
			.withMessageContaining("fewer than 2 permits are free, some are taken by ");
		four.close();
	}

	@Test
	void numberOfAFreeKeyIsNamedByTheRefusalOfOtherModes() {
		assumeSeveral();
		this.here.setPermits("", this.key, 4);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.acquire(request()))
			.withMessageContaining("a semaphore of 4 permits lives under this key")
			.withMessageContaining("setPermits(…, 0) removes");
		this.there.setPermits("", this.key, 0);
		this.there.acquire(request()).close();
	}

	@Test
	void numberOfALockInUseIsRefused() {
		assumeSeveral();
		Lease lease = this.here.acquire(request());
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.setPermits("", this.key, 2))
			.withMessageContaining("no semaphore");
		lease.close();
	}

	@Test
	void numbersThatCannotWorkAreRefused() {
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> request().permits(2).take(0));
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> request().permits(9_999).take(1_001));
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> this.here.acquire(request().permits(2).take(3)))
			.withMessageContaining("take 3 is more than the permits, which are 2");
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> this.here.acquire(request().take(2)))
			.withMessageContaining("take 2 is for mode SEMAPHORE, but the mode is EXCLUSIVE: set permits beside it");
		for (int permits : new int[] { -1, 10_001 }) {
			assertThatExceptionOfType(InvalidSettingException.class)
				.isThrownBy(() -> this.here.setPermits("", this.key, permits))
				.withMessageContaining("between 0 and 10000 but is " + permits);
		}
	}

	private Lease take(DefaultLockRegistry registry, int permits) {
		return registry.acquire(request().permits(LIMIT).take(permits));
	}

	private LockRequest once(int permits) {
		return once().permits(LIMIT).take(permits);
	}

	private void assumeSeveral() {
		assumeTrue(this.several, "a request takes one permit");
	}

}
