package io.distributedlock.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockTransactions;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.report.LockEvents;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RequestId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The check of a store before a commit, as a lease asks for it. */
class CommitCheckTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofSeconds(20));

	private final List<Map<LockKey, RequestId>> asked = new ArrayList<>();

	private Function<Map<LockKey, RequestId>, RuntimeException> answer = (owners) -> null;

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			checking(new MemoryLockStore(new MemoryLocks())));

	private LockStore checking(LockStore memory) {
		CommitCheck check = (owners) -> {
			this.asked.add(owners);
			return this.answer.apply(owners);
		};
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("commitCheck")) {
						return check;
					}
					try {
						return method.invoke(memory, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	private RequestId holder(String key) {
		return RequestId.parse(this.registry.inspect(key).holders().get(0).request());
	}

	@Test
	void registryWhenItsStoreChecksCommitsTellsSo() {
		assertThat(this.registry.checksCommits()).isTrue();
		try (DefaultLockRegistry other = new DefaultLockRegistry(new MemoryLockStore(new MemoryLocks()))) {
			assertThat(other.checksCommits()).isFalse();
		}
	}

	@Test
	void commitWhenTheLeaseIsHeldIsCheckedByItsRequest() {
		try (Lease lease = this.registry.acquire(REQUEST)) {
			lease.checkCommit();
			assertThat(this.asked).containsExactly(Map.of(new LockKey("", "k"), holder("k")));
		}
		assertThat(this.registry.statistics().refusedCommits()).isZero();
	}

	@Test
	void commitUnderAReaderAndAPermitIsCheckedByTheirRequests() {
		try (Lease writer = this.registry.acquire(LockRequest.of("r").mode(LockMode.READ).ownedByCurrentThread());
				Lease permit = this.registry.acquire(LockRequest.of("s").mode(LockMode.SEMAPHORE).permits(2))) {
			writer.checkCommit();
			permit.checkCommit();
			assertThat(this.asked).containsExactly(Map.of(new LockKey("", "r"), holder("r")),
					Map.of(new LockKey("", "s"), holder("s")));
		}
	}

	@Test
	void commitUnderSeveralKeysIsCheckedOnce() {
		try (Lease lease = this.registry.acquire(LockRequest.ofAll("b", "a"))) {
			lease.checkCommit();
			assertThat(this.asked)
				.containsExactly(Map.of(new LockKey("", "a"), holder("a"), new LockKey("", "b"), holder("b")));
		}
	}

	@Test
	void commitUnderLocksOfSeveralBodiesIsCheckedOnce() {
		LockTemplate locks = new LockTemplate(this.registry);
		locks.executeWithoutResult("a",
				() -> locks.executeWithoutResult("b", () -> locks.executeWithoutResult("a", () -> {
					LockTransactions.checkCurrentLeases();
					assertThat(this.asked)
						.containsExactly(Map.of(new LockKey("", "a"), holder("a"), new LockKey("", "b"), holder("b")));
				})));
	}

	/** A question names one request for a lock. */
	@Test
	void commitUnderTwoPermitsOfALockIsCheckedByBothRequests() {
		LockTemplate locks = new LockTemplate(this.registry);
		LockRequest permit = LockRequest.of("s").mode(LockMode.SEMAPHORE).permits(2);
		locks.executeWithoutResult(permit.ownedBy("first"),
				() -> locks.executeWithoutResult(permit.ownedBy("second"), LockTransactions::checkCurrentLeases));
		assertThat(this.asked).hasSize(2)
			.allSatisfy((owners) -> assertThat(owners).containsOnlyKeys(new LockKey("", "s")))
			.doesNotHaveDuplicates();
	}

	@Test
	void commitUnderLocksOfTwoRegistriesIsCheckedByBoth() {
		try (DefaultLockRegistry other = new DefaultLockRegistry(checking(new MemoryLockStore(new MemoryLocks())))) {
			LockTemplate locks = new LockTemplate(this.registry);
			locks.executeWithoutResult("k", () -> new LockTemplate(other).executeWithoutResult("k",
					() -> locks.executeWithoutResult("l", LockTransactions::checkCurrentLeases)));
			assertThat(this.asked).extracting(Map::size).containsExactlyInAnyOrder(1, 2);
		}
	}

	/** The store has one request for both, so only the lease tells them apart. */
	@Test
	void commitOfAHolderWhoHasHandedOnIsNotForTheStore() {
		while (this.registry.statistics().handOffs(AcquiredFrom.THIS_INSTANCE) == 0) {
			commitsOfTwoHolders();
		}
	}

	/** A hand-off needs a machine that is not too slow. */
	private void commitsOfTwoHolders() {
		Lease first = this.registry.acquire(REQUEST);
		CompletableFuture<Lease> second = this.registry.acquireAsync(REQUEST).toCompletableFuture();
		CompletableFuture<Lease> third = this.registry.acquireAsync(REQUEST).toCompletableFuture();
		first.close();
		Lease former = second.join();
		former.close();
		Lease next = third.join();
		assertThatIllegalStateException().isThrownBy(former::checkCommit);
		assertThat(this.asked).isEmpty();
		next.checkCommit();
		assertThat(this.asked).containsExactly(Map.of(new LockKey("", "k"), holder("k")));
		this.asked.clear();
		next.close();
	}

	@Test
	void commitUnderALostLeaseIsNotForTheStore() {
		Lease lease = this.registry.acquire(REQUEST.ttl(Duration.ofMillis(20)).renew(false));
		Awaitility.await().until(() -> !lease.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkCommit);
		assertThat(this.asked).isEmpty();
		assertThat(this.registry.statistics().refusedCommits()).isOne();
	}

	@Test
	void commitWhenRefusedAndDeniedByTheStoreIsALoss() {
		LockStoreException refusal = new LockStoreException(LockStoreException.Kind.MISCONFIGURED, "not seen", null);
		Lease lease = this.registry.acquire(REQUEST);
		this.answer = (owners) -> {
			this.registry.store().monitor().forceRelease(new ForceReleaseCommand(new LockKey("", "k"), null)).join();
			return refusal;
		};
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkCommit).satisfies((ex) -> {
			assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER);
			assertThat(ex.isBodyCompleted()).isFalse();
			assertThat(ex).hasNoSuppressedExceptions();
			assertThat(ex).hasMessageContaining("A transaction that ends with this exception writes nothing.");
		});
		assertThat(lease.isLost()).isTrue();
		assertThat(this.registry.statistics().refusedCommits()).isOne();
	}

	/** It had itself as a suppressed exception, from the end of the lease. */
	@Test
	void lossThatRefusesACommitIsReportedOnce() {
		LockRequest brief = REQUEST.ttl(Duration.ofMillis(20)).renew(false);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> new LockTemplate(this.registry).executeWithoutResult(brief, () -> {
				Lease lease = Lease.current().orElseThrow();
				Awaitility.await().until(() -> !lease.isHeld());
				LockTransactions.checkCurrentLeases();
			}))
			.withMessageContaining("A transaction that ends with this exception writes nothing.")
			.satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
	}

	/** The advice was a fencing token, which such transactions do not need. */
	@Test
	void lossWhenTheStoreChecksCommitsIsLoggedWithWhatItRefuses() {
		try (Lease lease = this.registry.acquire(REQUEST)) {
			assertThat(LockEvents.message(((GrantLease) lease).hold.grant, LossReason.EXPIRED))
				.contains("Transactions that are checked before their commit are refused");
		}
	}

	@Test
	void commitWhenRefusedThoughHeldFailsAndKeepsTheLease() {
		LockStoreException refusal = new LockStoreException(LockStoreException.Kind.MISCONFIGURED, "not seen", null);
		this.answer = (owners) -> refusal;
		try (Lease lease = this.registry.acquire(REQUEST)) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::checkCommit).isSameAs(refusal);
			assertThat(lease.isHeld()).isTrue();
		}
		assertThat(this.registry.statistics().refusedCommits()).isOne();
	}

}
