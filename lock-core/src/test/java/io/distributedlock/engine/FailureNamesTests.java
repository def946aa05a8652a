package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.engine.internal.report.LockEvents;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * How messages name a lock: a key alone may belong to several.
 */
class FailureNamesTests {

	private static final String SELF = ": held by this thread itself, but not by the same owner: use "
			+ "LockRequest.ownedByCurrentThread() wherever it is acquired by hand, to enter it again";

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(), LockProfiles.DEFAULTS,
			EngineSettings.DEFAULTS.withLeakDetection(LeakDetection.DISABLED), null);

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void busyLockWhenItHasANameIsToldWithIt() {
		LockNotAcquiredException busy = busy(orders("7"));
		assertThat(busy).hasMessageStartingWith("Lock 'orders:7' was not acquired within ");
		assertThat(busy.getName()).isEqualTo("orders");
		assertThat(busy.getKey()).isEqualTo("7");
	}

	@Test
	void busyLockWhenItHasNoNameIsToldByItsKey() {
		LockNotAcquiredException busy = busy(LockRequest.of("7"));
		assertThat(busy).hasMessageStartingWith("Lock '7' was not acquired within ");
		assertThat(busy.getName()).isEmpty();
	}

	/**
	 * The store names instances, and the message named this instance as if it were
	 * another.
	 */
	@Test
	void busyLockWhenOneOfSeveralKeysIsHeldHereNamesTheThread() {
		LockNotAcquiredException busy = busy(LockRequest.of("7").ownedByCurrentThread(),
				LockRequest.ofAll(List.of("7", "8")));
		assertThat(busy.getKey()).isEqualTo("7");
		assertThat(busy.getHolder())
			.contains("thread '%s' of this instance".formatted(Thread.currentThread().getName()));
	}

	@Test
	void busyLockWhenItIsHeldHereWithOthersNamesTheThread() {
		LockNotAcquiredException busy = busy(LockRequest.ofAll(List.of("7", "8")).ownedByCurrentThread(),
				LockRequest.of("8"));
		assertThat(busy.getHolder())
			.contains("thread '%s' of this instance".formatted(Thread.currentThread().getName()));
	}

	@Test
	void busyLockWhenItIsHeldHereByNoThreadNamesThisInstance() {
		LockNotAcquiredException busy = busy(LockRequest.of("7"), LockRequest.ofAll(List.of("7", "8")));
		assertThat(busy.getHolder()).contains("this instance");
	}

	/**
	 * The message to a thread that waited for itself only said that the instance holds
	 * the lock.
	 */
	@Test
	void busyLockWhenTheThreadWaitsForItselfSaysSoWithTheRemedy() {
		try (Lease ignored = this.registry.acquire(orders("7"))) {
			assertThat(busyAgain(orders("7").ownedByCurrentThread())).hasMessageEndingWith(SELF);
			assertThat(busyAgain(LockRequest.ofAll("7", "8").name("orders"))).hasMessageEndingWith(SELF);
		}
	}

	/** The thread was named as if it were another thread. */
	@Test
	void busyLockWhenTheThreadIsItsOwnerAndTheRequestIsNotSaysSo() {
		try (Lease ignored = this.registry.acquire(orders("7").ownedByCurrentThread())) {
			assertThat(busyAgain(orders("7"))).hasMessageEndingWith(SELF);
		}
	}

	private LockNotAcquiredException busyAgain(LockRequest wanted) {
		return catchThrowableOfType(LockNotAcquiredException.class,
				() -> this.registry.acquire(wanted.waitFor(Duration.ofMillis(5))));
	}

	@Test
	void busyLockWhenAnotherThreadHasItDoesNotSpeakOfThisOne() {
		try (Lease ignored = CompletableFuture.supplyAsync(() -> this.registry.acquire(orders("7"))).join()) {
			assertThat(busyAgain(orders("7"))).hasMessageEndingWith("held by this instance");
		}
	}

	/**
	 * A request that was given up kept the lock, and the message named it as a holder.
	 */
	@Test
	void busyLockWhenOnlyAWithdrawnRequestHasItSaysSo() {
		Engine engine = this.registry.engine();
		String here = engine.instance.requestIds().instance();
		assertThat(QueueView.holder(engine.queues.index, new LockKey("", "7"),
				new AcquireOutcome.Busy(here, Duration.ZERO, 0, false)))
			.isEqualTo(
					"this instance, which has given it up and has no confirmation of that yet, or has reserved it for a "
							+ "call that waits for more locks");
	}

	@Test
	void busyLockWhenItIsHeldElsewhereNamesThatInstance() {
		MemoryLocks locks = new MemoryLocks();
		try (DefaultLockRegistry here = new DefaultLockRegistry(new MemoryLockStore(locks));
				DefaultLockRegistry elsewhere = new DefaultLockRegistry(new MemoryLockStore(locks));
				Lease ignored = elsewhere.acquire(LockRequest.of("7"))) {
			LockNotAcquiredException busy = catchThrowableOfType(LockNotAcquiredException.class,
					() -> here.acquire(LockRequest.ofAll(List.of("7", "8")).waitFor(Duration.ZERO)));
			assertThat(busy.getHolder()).hasValueSatisfying((holder) -> assertThat(holder).startsWith("instance "));
		}
	}

	/** The message named a holder without saying that it was the caller itself. */
	@Test
	void semaphoreWhenItsPermitIsTheCallersSaysItIsNotReentrant() {
		LockRequest permit = orders("7").permits(1).waitFor(Duration.ZERO).ownedByCurrentThread();
		try (Lease ignored = this.registry.acquire(permit)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.registry.acquire(permit))
				.withMessageEndingWith(
						": all permits are taken, one of them by this caller: a semaphore is not re-entrant");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.registry.acquire(permit.ownedBy("me").waitFor(Duration.ofMillis(10))))
				.withMessageEndingWith(": all permits are taken, one of them by thread '%s' of this instance"
					.formatted(Thread.currentThread().getName()));
		}
	}

	@Test
	void semaphoreWhenFullSaysThatAllPermitsAreTaken() {
		LockRequest permit = LockRequest.of("7").permits(2).waitFor(Duration.ZERO);
		Lease first = this.registry.acquire(permit);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> {
			try (Lease ignored = this.registry.acquire(permit)) {
				this.registry.acquire(permit);
			}
		}).withMessageEndingWith(": all permits are taken, one of them by this instance");
		try (Lease ignored = this.registry.acquire(permit.ownedBy("me"))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.registry.acquire(permit.ownedBy("me").waitFor(Duration.ofMillis(10))))
				.withMessageEndingWith(
						": all permits are taken, one of them by this caller: a semaphore is not re-entrant")
				.satisfies((ex) -> assertThat(ex.getHolder()).contains("this instance"));
		}
		first.close();
	}

	@Test
	void leaseWhenPrintedIsDescribedAsItsLock() {
		try (Lease lease = this.registry.acquire(LockRequest.of("m"))) {
			assertThat(lease).hasToString("Lease[m, token=%d]".formatted(lease.fencingToken()));
		}
		try (Lease lease = this.registry.acquire(orders("7"))) {
			assertThat(lease.toString()).startsWith("Lease[orders:7, ");
		}
	}

	@Test
	void lostLockWhenItHasANameIsToldWithIt() {
		LockLostException lost = lost(orders("7"));
		assertThat(lost).hasMessageStartingWith("Lock 'orders:7' was lost: ");
		assertThat(lost.getName()).isEqualTo("orders");
		assertThat(lost.getKey()).isEqualTo("7");
	}

	/** The message mentioned a body, which a lease of the registry does not have. */
	@Test
	void lostLeaseOfTheRegistryDoesNotSpeakOfABody() {
		Lease lease = this.registry.acquire(orders("7").ttl(Duration.ofMillis(20)).renew(false));
		await().until(() -> !lease.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close)
			.withMessageContaining(". The guarded code had ended: check its writes. Guard ")
			.withMessageNotContaining("body");
	}

	@Test
	void lostLockWhenItHasSeveralKeysIsToldWithAll() {
		LockLostException lost = lost(LockRequest.ofAll(List.of("7", "8")).name("orders"));
		assertThat(lost).hasMessageStartingWith("Lock 'orders:[7, 8]' was lost: ");
		assertThat(lost.getKey()).isEqualTo("[7, 8]");
	}

	/** The token of a permit guards nothing, and next to a reader others read anyway. */
	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, guard the protected resource with the fencing token", "FAIR, Another holder may run now",
			"READ, A writer may run now", "SEMAPHORE, One more than there are permits may run now" })
	void lostLockWhenItIsLoggedSaysWhatMayHappenNow(LockMode mode, String consequence) {
		ManualInstance instance = new ManualInstance();
		LockRequest request = orders("7").ownedByCurrentThread();
		GrantLease lease = (GrantLease) instance
			.acquire((mode == LockMode.SEMAPHORE) ? request.permits(2) : request.mode(mode))
			.join();
		assertThat(LockEvents.message(lease.hold.grant, LossReason.EXPIRED))
			.startsWith("Lock 'orders:7' (token %d, thread '%s') was lost: ".formatted(lease.fencingToken(),
					Thread.currentThread().getName()))
			.contains(LossReason.EXPIRED.description(), consequence);
	}

	@Test
	void closedRegistryWhenTheLockHasANameTellsIt() {
		this.registry.close();
		assertThatExceptionOfType(LockRegistryClosedException.class)
			.isThrownBy(() -> this.registry.acquire(orders("7")))
			.withMessage("Lock 'orders:7' cannot be acquired: the registry is shutting down")
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("7"));
	}

	@Test
	void tokenWhenEachKeyHasItsOwnIsToBeAskedForByKey() {
		Lease several = new CompositeLease(List.of((GrantLease) this.registry.acquire(orders("7")),
				(GrantLease) this.registry.acquire(orders("8"))));
		assertThatIllegalStateException().isThrownBy(several::fencingToken)
			.withMessage("This lease has several keys with a fencing token each: [7, 8]. Ask for fencingToken(key)");
		assertThatIllegalStateException().isThrownBy(several::key)
			.withMessage("This lease has several keys: [7, 8]. Ask for keys()");
		several.close();
	}

	private LockNotAcquiredException busy(LockRequest request) {
		return busy(request, request);
	}

	private LockNotAcquiredException busy(LockRequest held, LockRequest wanted) {
		try (Lease ignored = this.registry.acquire(held)) {
			CompletionException failure = catchThrowableOfType(CompletionException.class,
					() -> CompletableFuture.supplyAsync(() -> this.registry.acquire(wanted.waitFor(Duration.ZERO)))
						.join());
			return (LockNotAcquiredException) failure.getCause();
		}
	}

	private LockLostException lost(LockRequest request) {
		Lease lease = this.registry.acquire(request.ttl(Duration.ofMillis(20)).renew(false));
		await().until(() -> !lease.isHeld());
		return catchThrowableOfType(LockLostException.class, lease::checkHeld);
	}

	private static LockRequest orders(String key) {
		return LockRequest.of("orders", key);
	}

}
