package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.Ownership;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The end of a lease: it completes whatever happens meanwhile, and is reported once. */
class EndCommandTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void closeWhenInterruptedReturnsOnlyWhenTheLockIsFree() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		Held release = this.store.hold(Command.RELEASE);
		AtomicBoolean flag = new AtomicBoolean();
		Thread closing = ManualInstance.startUntilStuck(() -> {
			Thread.currentThread().interrupt();
			lease.close();
			flag.set(Thread.currentThread().isInterrupted());
		});
		assertThat(closing.getState()).isNotEqualTo(Thread.State.TERMINATED);
		release.answer();
		ManualInstance.join(closing);
		assertThat(flag).isTrue();
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/** The caller waited for ever, and the lock stayed taken. */
	@Test
	void releaseWhenTheStoreReturnsNullIsTriedAgain() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		this.store.returnNull(Command.RELEASE);
		assertThat(lease.release().toCompletableFuture()).isCompleted();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.isLocked("k")).isFalse();
	}

	@Test
	void releaseWhenTheStoreIsSilentEndsWithTheTimeOutOfItsCommand() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		this.store.silence(Command.RELEASE);
		var released = lease.release().toCompletableFuture();
		this.instance.advance(this.store.commandTimeout().minusMillis(1));
		assertThat(released).isNotDone();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(released).isCompleted();
	}

	/** The thread of the driver has other answers to bring. */
	@Test
	void answerOfAReleaseWaitsForNoMonitorWhereNothingWasRenewed() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		Held release = this.store.hold(Command.RELEASE);
		var released = lease.release().toCompletableFuture();
		synchronized (((GrantLease) lease).hold.grant) {
			ManualInstance.startUntilStuck(release::answer);
			assertThat(released).isCompleted();
		}
	}

	@Test
	void releaseWhenItFailsIsTriedAgain() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		this.store.fail(Command.RELEASE, LockStoreException.Kind.UNAVAILABLE);
		assertThat(lease.release().toCompletableFuture()).isCompleted();
		assertThat(this.store.isLocked("k")).isTrue();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/**
	 * A permission that came back after 2.8 s freed the lock 16.9 s later, by its ttl.
	 */
	@Test
	void releaseWhenItIsRefusedIsTriedAgain() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		this.store.failAll(Command.RELEASE, LockStoreException.Kind.MISCONFIGURED);
		assertThat(lease.release().toCompletableFuture()).isCompleted();
		assertFreeSoonAfterItIsAllowed();
	}

	@Test
	void abandonWhenItIsRefusedAndTheLockMayBeHeldIsTriedAgain() {
		Held asked = this.store.hold(Command.ACQUIRE);
		this.store.failAll(Command.ABANDON, LockStoreException.Kind.MISCONFIGURED);
		this.instance.acquire(LockRequest.of("k")).cancel(false);
		asked.answer();
		assertFreeSoonAfterItIsAllowed();
	}

	private void assertFreeSoonAfterItIsAllowed() {
		this.instance.advance(Duration.ofSeconds(3));
		assertThat(this.store.isLocked("k")).isTrue();
		this.store.heal();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/**
	 * A Redis user without any permission would leave a command behind for each request.
	 */
	@Test
	void abandonWhenItIsRefusedAsTheRequestWasIsNotTriedAgain() {
		this.store.failAll(Command.ACQUIRE, LockStoreException.Kind.MISCONFIGURED);
		this.store.failAll(Command.ABANDON, LockStoreException.Kind.MISCONFIGURED);
		assertThat(this.instance.acquire(LockRequest.of("k"))).isCompletedExceptionally();
		this.instance.advance(Duration.ofSeconds(3));
		assertThat(this.store.sent(Command.ABANDON)).isEqualTo(1);
		assertThat(this.instance.engine.instance.backgroundCount()).isZero();
	}

	@Test
	void closeWhenOneOfSeveralLocksIsLostFreesTheOthers() {
		Lease lease = this.instance.acquire(LockRequest.ofAll("a", "b", "c")).join();
		this.store.locks().remove("", "c");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(this.store.isLocked("a")).isFalse();
		assertThat(this.store.isLocked("b")).isFalse();
	}

	/** A reader whose body had ended in time was told of a loss. */
	@Test
	void releaseThatReachesTheStoreAfterTheLeaseIsNoLoss() {
		this.store.withCommandTimeout(Duration.ofMinutes(1));
		Lease lease = this.instance.acquire(LockRequest.of("k").mode(LockMode.READ).ttl(TTL)).join();
		Held release = this.store.hold(Command.RELEASE);
		var released = lease.release().toCompletableFuture();
		this.instance.advance(TTL);
		release.answer();
		assertThat(released).isCompleted();
		assertThat(losses()).isEmpty();
	}

	/** The clock of the store has jumped. */
	@Test
	void releaseThatIsAnsweredAsExpiredBeforeTheEndOfTheLeaseIsALoss() {
		Lease lease = this.instance.acquire(LockRequest.of("k").ttl(TTL).renew(true)).join();
		Held release = this.store.hold(Command.RELEASE);
		var released = lease.release().toCompletableFuture();
		release.answer(Ownership.EXPIRED);
		assertThat(released).isCompletedExceptionally();
		this.instance.runDue();
		assertThat(losses()).containsExactly(LossReason.EXPIRED);
	}

	@Test
	void releaseOfALockThatWasTakenAwayIsALossHoweverLateTheAnswerIs() {
		this.store.withCommandTimeout(Duration.ofMinutes(1));
		Lease lease = this.instance.acquire(LockRequest.of("k").ttl(TTL)).join();
		Held release = this.store.hold(Command.RELEASE);
		var released = lease.release().toCompletableFuture();
		this.instance.advance(TTL);
		release.answer(Ownership.LOST);
		assertThat(released).isCompletedExceptionally();
		this.instance.runDue();
		assertThat(losses()).containsExactly(LossReason.NOT_OWNER);
	}

	private List<LossReason> losses() {
		return this.instance.events.stream()
			.filter(LockEvent.Lost.class::isInstance)
			.map((event) -> ((LockEvent.Lost) event).reason())
			.toList();
	}

	/** They were released one after the other, each after a round trip. */
	@Test
	void closeOfSeveralLocksReleasesThemAllAtOnce() {
		Lease lease = this.instance.acquire(LockRequest.ofAll("a", "b", "c")).join();
		List<Held> releases = List.of(this.store.hold(Command.RELEASE), this.store.hold(Command.RELEASE),
				this.store.hold(Command.RELEASE));
		Thread closing = ManualInstance.startUntilStuck(lease::close);
		assertThat(releases).allMatch(Held::isSent);
		releases.forEach(Held::answer);
		ManualInstance.join(closing);
		assertThat(this.store.isLocked("a")).isFalse();
	}

	/** The callbacks of users must not block the threads that renew. */
	@Test
	void codeOfUsersWhenThereIsNewsRunsOnTheirThreadsOnly() {
		Lease lease = this.instance.acquire(LockRequest.of("k")).join();
		AtomicBoolean told = new AtomicBoolean();
		lease.onLost(() -> told.set(true));
		this.instance.events.clear();
		this.instance.holdCallbacks();
		var next = this.instance.acquire(LockRequest.of("other").waitFor(Duration.ofMinutes(1)));
		this.store.locks().remove("", "k");
		this.instance.advance(Duration.ofSeconds(30));
		assertThat(lease.isHeld()).isFalse();
		assertThat(told).isFalse();
		assertThat(next).isNotDone();
		assertThat(this.instance.events).isEmpty();
		this.instance.runCallbacks();
		assertThat(told).isTrue();
		assertThat(next).isCompleted();
		assertThat(this.instance.events).isNotEmpty();
	}

	@Test
	void tryLockWhenTheLockIsFreedWithinItsTimeGetsIt() throws InterruptedException {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new ScriptedStore())) {
			Lease held = registry.acquire(LockRequest.of("k"));
			AtomicBoolean got = new AtomicBoolean();
			Thread trying = ManualInstance.startUntilStuck(() -> {
				try {
					got.set(registry.getLock("k").tryLock(20, TimeUnit.SECONDS));
					registry.getLock("k").unlock();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			});
			held.close();
			trying.join();
			assertThat(got).isTrue();
		}
	}

}
