package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * How messages name a lock: a key alone may belong to several.
 */
class LockMessageTests {

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore());

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

	@Test
	void lostLockWhenItHasANameIsToldWithIt() {
		LockLostException lost = lost(orders("7"));
		assertThat(lost).hasMessageStartingWith("Lock 'orders:7' was lost: ");
		assertThat(lost.getName()).isEqualTo("orders");
		assertThat(lost.getKey()).isEqualTo("7");
	}

	@Test
	void lostLockWhenItHasSeveralKeysIsToldWithAll() {
		LockLostException lost = lost(LockRequest.of(List.of("7", "8")).name("orders"));
		assertThat(lost).hasMessageStartingWith("Lock 'orders:[7, 8]' was lost: ");
		assertThat(lost.getKey()).isEqualTo("[7, 8]");
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
		CompositeLease.Builder builder = new CompositeLease.Builder();
		builder.add((GrantLease) this.registry.acquire(orders("7")));
		builder.add((GrantLease) this.registry.acquire(orders("8")));
		Lease several = builder.build();
		assertThatIllegalStateException().isThrownBy(several::fencingToken)
			.withMessage("This lease has several keys with a fencing token each: [7, 8]. Ask for fencingToken(key)");
		assertThatIllegalStateException().isThrownBy(several::key)
			.withMessage("This lease has several keys: [7, 8]. Ask for keys()");
		several.close();
	}

	private LockNotAcquiredException busy(LockRequest request) {
		try (Lease ignored = this.registry.acquire(request)) {
			CompletionException failure = catchThrowableOfType(CompletionException.class,
					() -> CompletableFuture.supplyAsync(() -> this.registry.acquire(request.waitFor(Duration.ZERO)))
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
		return LockRequest.of(key).name("orders");
	}

}
