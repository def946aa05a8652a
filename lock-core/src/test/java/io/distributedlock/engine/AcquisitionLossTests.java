package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Several keys are acquired one by one, and some are lost before the last one is
 * acquired.
 */
class AcquisitionLossTests {

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	/** The body began without the first lock, which had run out behind the second. */
	@Test
	void keyThatExpiresWhileAnotherIsWaitedForIsAcquiredAgain() {
		Lease busy = this.there.acquire(LockRequest.of("b")).join();
		CompletableFuture<Lease> both = this.here.acquire(brief(Duration.ofSeconds(30)));
		this.here.advance(Duration.ofSeconds(5));
		busy.close();
		this.here.advance(Duration.ofMillis(500));
		assertThat(both).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void keysOfWhichNeverAllAreHeldAreBusyWhenTheBudgetIsUsedUp() {
		this.there.acquire(LockRequest.of("b")).join();
		CompletableFuture<Lease> both = this.here.acquire(brief(Duration.ofSeconds(10)));
		this.here.advance(Duration.ofSeconds(11));
		assertThat(ManualInstance.failure(both)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.here.engine.instance.heldCount()).isZero();
	}

	@Test
	void callerThatBlocksGetsNoKeysOfWhichOneIsLost() {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new ScriptedStore(this.here.store.locks()))) {
			Lease busy = this.there.acquire(LockRequest.of("b")).join();
			LockRequest both = LockRequest.ofAll("a", "b").waitFor(Duration.ofSeconds(30));
			CompletableFuture<Boolean> held = CompletableFuture.supplyAsync(() -> {
				try (Lease lease = registry.acquire(both)) {
					return lease.isHeld();
				}
			});
			await().until(() -> registry.engine().instance.heldCount() == 1);
			this.here.store.locks().remove("", "a");
			registry.engine().wakeUpAll();
			await().until(() -> registry.engine().instance.heldCount() == 0);
			busy.close();
			assertThat(held).succeedsWithin(Patience.CEILING).isEqualTo(true);
		}
	}

	/** A store that takes so long would be asked for ever. */
	@Test
	void callerWithoutBudgetIsToldThatTheStoreIsTooSlow() {
		ScriptedStore.Held first = this.here.store.hold(Command.ACQUIRE);
		ScriptedStore.Held second = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> both = this.here.acquire(brief(Duration.ZERO));
		this.here.clock.advance(Duration.ofMillis(600));
		first.answer();
		this.here.clock.advance(Duration.ofMillis(600));
		second.answer();
		this.here.runDue();
		assertThat(ManualInstance.failure(both)).isInstanceOf(LockStoreException.class);
		assertThat(this.here.store.sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(this.here.engine.instance.heldCount()).isZero();
	}

	/** A lease is taken away, which its caller cannot tell from one that ran out. */
	@Test
	void callerThatBlocksWithoutBudgetIsToldThatTheStoreIsTooSlow() throws Exception {
		ScriptedStore store = new ScriptedStore().withCommandTimeout(Duration.ofMinutes(5));
		store.pass(Command.ACQUIRE);
		ScriptedStore.Held second = store.hold(Command.ACQUIRE);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store)) {
			LockRequest once = LockRequest.ofAll("a", "b").ttl(Duration.ofHours(1)).waitFor(Duration.ZERO);
			CompletableFuture<Lease> both = CompletableFuture.supplyAsync(() -> registry.acquire(once));
			second.awaitSent();
			store.locks().remove("", "a");
			registry.engine().wakeUpAll();
			await().until(() -> registry.engine().instance.heldCount() == 0);
			second.answer();
			assertThat(both).failsWithin(Patience.CEILING)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class);
		}
	}

	private static LockRequest brief(Duration wait) {
		return LockRequest.ofAll("a", "b").ttl(Duration.ofSeconds(1)).renew(false).waitFor(wait);
	}

}
