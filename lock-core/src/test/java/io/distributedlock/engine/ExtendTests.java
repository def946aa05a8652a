package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A holder sets its lease anew while other things go on.
 */
class ExtendTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofSeconds(6);

	/** The part of a ttl that the holder of a lease does not rely on, at most. */
	private static final Duration DRIFT = Duration.ofMillis(400);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(LONG);

	private static final LockRequest UNRENEWED = REQUEST.renew(false);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private final ManualInstance other = this.instance.another();

	@Test
	void leaseIsAsLongAsTheLastExtendSays() {
		Lease lease = acquire(UNRENEWED);
		long token = lease.fencingToken();
		lease.extend(SHORT);
		assertRemaining(lease, SHORT);
		lease.extend(LONG);
		assertRemaining(lease, LONG);
		assertThat(lease.fencingToken()).isEqualTo(token);
		this.instance.advance(LONG.minus(DRIFT));
		assertThat(lease.isHeld()).isTrue();
		this.instance.advance(DRIFT);
		assertThat(lease.isLost()).isTrue();
	}

	@Test
	void unrenewedLeaseThatWasShortenedIsLostAtItsNewEnd() {
		Lease lease = acquire(UNRENEWED);
		lease.extend(SHORT);
		this.instance.advance(SHORT);
		assertLost(lease, LossReason.NOT_RENEWED);
		assertThat(this.store.sent(Command.RENEW)).isZero();
		assertThat(this.other.acquire(REQUEST.waitFor(Duration.ZERO)).join().isHeld()).isTrue();
	}

	@Test
	void renewalsAreForTheNewTtlAndComeAsOftenAsIt() {
		Lease lease = acquire(REQUEST);
		lease.extend(SHORT);
		this.instance.advance(SHORT);
		assertThat(this.store.sent(Command.RENEW)).isGreaterThan(1);
		assertThat(this.store.renewed()).extracting(RenewCommand::ttl).containsOnly(SHORT);
		assertThat(lease.isHeld()).isTrue();
		int before = this.store.sent(Command.RENEW);
		lease.extend(LONG);
		this.instance.advance(SHORT.dividedBy(2));
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(before);
		this.instance.advance(LONG);
		assertThat(this.store.renewed().get(before).ttl()).isEqualTo(LONG);
		assertThat(lease.isHeld()).isTrue();
	}

	/** It may have been applied, so the holder must not rely on the longer lease. */
	@Test
	void shorteningExtendWhoseAnswerIsLostEndsAnUnrenewedLeaseEarlier() {
		Lease lease = acquire(UNRENEWED);
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, SHORT);
		assertRemaining(lease, SHORT);
		held.apply();
		this.instance.advance(Duration.ofSeconds(1));
		assertUnavailable(extended);
		assertThat(lease.remaining()).isLessThan(SHORT);
		this.instance.advance(SHORT);
		assertLost(lease, LossReason.NOT_RENEWED);
		assertThat(this.store.isLocked("k")).isFalse();
	}

	@Test
	void lengtheningExtendWhoseAnswerIsLostLeavesTheLeaseAsItWas() {
		Lease lease = acquire(UNRENEWED.ttl(SHORT));
		this.store.silence(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, LONG);
		assertRemaining(lease, SHORT);
		this.instance.advance(Duration.ofSeconds(1));
		assertUnavailable(extended);
		this.instance.advance(SHORT);
		assertLost(lease, LossReason.NOT_RENEWED);
	}

	/** Its old renewal would have come after the end of the new lease. */
	@Test
	void renewedLeaseSurvivesAShorteningExtendWhoseAnswerIsLost() {
		Lease lease = acquire(REQUEST);
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, SHORT);
		held.apply();
		this.instance.advance(Duration.ofSeconds(1));
		assertUnavailable(extended);
		this.instance.advance(LONG.multipliedBy(2));
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		assertThat(this.store.isLocked("k")).isFalse();
	}

	@Test
	void renewalsAfterAnExtendWhoseAnswerIsLostAreForTheLongerTtl() {
		Lease lease = acquire(REQUEST);
		this.store.fail(Command.EXTEND, LockStoreException.Kind.UNAVAILABLE);
		assertUnavailable(extend(lease, SHORT));
		this.instance.runDue();
		assertThat(this.store.renewed()).extracting(RenewCommand::ttl).containsExactly(LONG);
		assertRemaining(lease, LONG);
	}

	/** It knows the mark of the extend, which would otherwise be unknown to the store. */
	@Test
	void renewalAfterALostAnswerIsConfirmed() {
		Lease lease = acquire(REQUEST);
		this.instance.advance(LONG);
		Held held = this.store.hold(Command.EXTEND);
		extend(lease, SHORT);
		held.apply();
		this.instance.advance(LONG.multipliedBy(2));
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	@Test
	void anyNumberOfLostExtendsLosesNoLease() {
		Lease lease = acquire(UNRENEWED.ttl(Duration.ofDays(1)));
		for (int i = 0; i < 20; i++) {
			Held held = this.store.hold(Command.EXTEND);
			this.store.failAll(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
			CompletableFuture<Void> extended = extend(lease, Duration.ofHours(2));
			if (i == 0 || (i == 1 && held.isSent())) {
				held.apply();
			}
			this.instance.advance(Duration.ofSeconds(1));
			assertUnavailable(extended);
		}
		this.store.heal();
		lease.extend(LONG);
		assertRemaining(lease, LONG);
	}

	/**
	 * The late answer of the renewal set the end of the lease, though an extend had come
	 * between.
	 */
	@Test
	void answerOfARenewalThatWasSentBeforeDoesNotLengthenTheLease() {
		Lease lease = acquire(REQUEST);
		this.instance.advance(LONG);
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.advance(LONG.dividedBy(3));
		assertThat(renewal.isSent()).isTrue();
		renewal.apply();
		lease.extend(SHORT);
		renewal.answer();
		assertRemaining(lease, SHORT);
		this.instance.advance(SHORT.multipliedBy(3));
		assertThat(lease.isHeld()).isTrue();
	}

	/** The store refuses it, since it does not know the mark of the extend. */
	@Test
	void renewalThatComesBehindAnExtendIsNoLoss() {
		Lease lease = acquire(REQUEST);
		this.instance.advance(LONG);
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.advance(LONG.dividedBy(3));
		lease.extend(SHORT);
		renewal.answer();
		assertRemaining(lease, SHORT);
		assertThat(this.store.isLocked("k")).isTrue();
		this.instance.clock.advance(SHORT);
		assertThat(this.store.isLocked("k")).as("as the extend says").isFalse();
	}

	/** A renewal with the mark of the extend would have made that a copy of itself. */
	@Test
	void renewalThatOvertakesAnExtendDoesNotTakeItsPlace() {
		Lease lease = acquire(REQUEST);
		Held first = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, SHORT);
		this.instance.engine.wakeUpAll();
		this.instance.runDue();
		assertThat(this.store.sent(Command.RENEW)).isOne();
		first.answer();
		this.instance.runDue();
		assertThat(extended).isCompleted();
		assertThat(this.store.sent(Command.EXTEND)).isEqualTo(2);
		assertRemaining(lease, SHORT);
		this.instance.clock.advance(SHORT);
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/** Its ttl had been that of before the extend, and it came behind that. */
	@Test
	void renewalDuringAnExtendIsForTheNewTtl() {
		Lease lease = acquire(REQUEST);
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, SHORT);
		held.apply();
		this.instance.engine.wakeUpAll();
		this.instance.runDue();
		held.answer();
		assertThat(extended).isCompleted();
		assertThat(this.store.renewed()).extracting(RenewCommand::ttl).containsOnly(SHORT);
		assertRemaining(lease, SHORT);
		this.instance.clock.advance(SHORT);
		assertThat(this.store.isLocked("k")).isFalse();
	}

	@Test
	void extendThatArrivesLateDoesNotUndoALaterOne() {
		Lease lease = acquire(UNRENEWED);
		Held late = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> first = extend(lease, SHORT);
		this.instance.advance(Duration.ofSeconds(1));
		assertUnavailable(first);
		lease.extend(LONG);
		late.answer();
		assertRemaining(lease, LONG);
		this.instance.clock.advance(SHORT.multipliedBy(2));
		assertThat(this.store.isLocked("k")).isTrue();
	}

	@Test
	void extendsGoOneAfterTheOther() {
		Lease lease = acquire(UNRENEWED);
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> first = extend(lease, SHORT);
		CompletableFuture<Void> second = extend(lease, LONG);
		assertThat(this.store.sent(Command.EXTEND)).isOne();
		held.answer();
		assertThat(first).isCompleted();
		assertThat(second).isCompleted();
		assertRemaining(lease, LONG);
	}

	@Test
	void extendWhoseLeaseEndsMeanwhileIsALoss() {
		Lease lease = acquire(UNRENEWED.ttl(Duration.ofMillis(500)));
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, LONG);
		this.instance.clock.advance(Duration.ofMillis(500));
		held.answer();
		assertThat(ManualInstance.failure(extended)).isInstanceOf(LockLostException.class);
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void extendAfterAForceReleaseIsALoss() {
		Lease lease = acquire(REQUEST);
		new MemoryLockStore(this.store.locks()).forceRelease(new ForceReleaseCommand(new LockKey("", "k"), null))
			.join();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(LONG))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER));
		assertThat(lease.isLost()).isTrue();
	}

	@Test
	void extendThatIsOnItsWayAtTheReleaseHoldsNothing() {
		Lease lease = acquire(REQUEST);
		Held held = this.store.hold(Command.EXTEND);
		CompletableFuture<Void> extended = extend(lease, SHORT);
		held.apply();
		lease.close();
		assertThat(this.store.isLocked("k")).isFalse();
		held.answer();
		assertThat(ManualInstance.failure(extended)).isInstanceOf(IllegalStateException.class);
	}

	@Test
	void extendThatArrivesAfterTheReleaseHoldsNothing() {
		Lease lease = acquire(REQUEST);
		Held held = this.store.hold(Command.EXTEND);
		extend(lease, SHORT);
		lease.close();
		held.answer();
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(this.instance.engine.instance.heldCount()).isZero();
	}

	/** The terms of a grant that is handed on are those of its first holder. */
	@Test
	void nextHolderOfThisInstanceHasTheTtlOfItsOwn() {
		Lease lease = acquire(REQUEST);
		CompletableFuture<Lease> next = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		lease.extend(SHORT);
		lease.close();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(next.join().remaining()).isGreaterThan(SHORT);
	}

	@Test
	void reentrantHolderExtendsTheLeaseThatItShares() {
		Object owner = new Object();
		Lease outer = acquire(UNRENEWED.ownedBy(owner));
		Lease inner = acquire(UNRENEWED.ownedBy(owner));
		inner.extend(SHORT);
		assertRemaining(outer, SHORT);
		inner.close();
		assertThatIllegalStateException().isThrownBy(() -> inner.extend(LONG));
		outer.extend(LONG);
		assertRemaining(outer, LONG);
	}

	/** It enters for its own time, though the lease was shortened. */
	@Test
	void reentrantHolderAfterAShorteningExtendGetsItsOwnTtl() {
		Object owner = new Object();
		Lease outer = acquire(UNRENEWED.ownedBy(owner));
		outer.extend(SHORT);
		Lease inner = acquire(UNRENEWED.ownedBy(owner));
		assertRemaining(inner, LONG);
	}

	@Test
	void extendOfALeaseInDoubtConfirmsIt() {
		Lease lease = acquire(REQUEST);
		this.instance.clock.suspend(Duration.ofSeconds(5));
		assertThat(lease.isHeld()).isFalse();
		lease.extend(LONG);
		assertRemaining(lease, LONG);
	}

	@Test
	void extendByATwinThatComesSecondIsALoss() {
		ManualInstance one = this.instance.restored();
		ManualInstance twin = this.instance.restored();
		Lease kept = one.acquire(REQUEST.name("twin")).join();
		Lease lost = twin.acquire(REQUEST.name("twin")).join();
		kept.extend(SHORT);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(LONG));
		kept.extend(LONG);
		assertThat(kept.isHeld()).isTrue();
	}

	@Test
	void storeThatRefusesIsReported() {
		Lease lease = acquire(REQUEST);
		this.store.fail(Command.EXTEND, LockStoreException.Kind.MISCONFIGURED);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(LONG))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		this.store.raise(Command.EXTEND, new StackOverflowError("thrown by the store"));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(LONG))
			.withMessageContaining("Cannot extend lock");
		this.instance.advance(LONG);
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void whatCannotWorkIsRefusedAndChangesNothing() {
		Lease lease = acquire(REQUEST);
		assertInvalid("ttl", () -> lease.extend(Duration.ofMillis(100)));
		assertInvalid("ttl", () -> lease.extend(Duration.ZERO));
		assertInvalid("ttl", () -> lease.extendAsync(Duration.ofDays(1000), null));
		assertInvalid("keepFor", () -> lease.extend(LONG, Duration.ofMillis(-1)));
		Lease reading = acquire(LockRequest.of("read").mode(LockMode.READ));
		assertInvalid("keepFor", () -> reading.extend(LONG, LONG));
		assertThat(this.store.sent(Command.EXTEND)).isZero();
		lease.close();
		assertThatIllegalStateException().isThrownBy(() -> lease.extend(LONG));
	}

	@Test
	void lostLeaseIsNotExtended() {
		Lease lease = acquire(UNRENEWED);
		this.instance.advance(LONG);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(LONG));
		assertThat(ManualInstance.failure(extend(lease, LONG))).isInstanceOf(LockLostException.class);
		assertThat(this.store.sent(Command.EXTEND)).isZero();
	}

	@Test
	void keysThatWereTakenOneByOneAreExtendedAll() {
		LockRequest both = LockRequest.ofAll("a", "b").ttl(LONG).renew(false);
		Lease lease = acquire(both);
		lease.extend(SHORT);
		assertRemaining(lease, SHORT);
		assertThat(this.store.sent(Command.EXTEND)).isEqualTo(2);
		this.store.pass(Command.EXTEND);
		this.store.fail(Command.EXTEND, LockStoreException.Kind.UNAVAILABLE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(LONG));
		assertThat(lease.isHeld()).isTrue();
		extend(lease, LONG).join();
		assertRemaining(lease, LONG);
	}

	@Test
	void keysThatWereTakenTogetherAreExtendedByOneCommand() {
		this.store.takeTogether();
		Lease lease = acquire(LockRequest.ofAll("a", "b").ttl(LONG).renew(false));
		lease.extend(SHORT);
		assertRemaining(lease, SHORT);
		assertThat(this.store.sent(Command.EXTEND)).isOne();
		this.instance.clock.advance(SHORT);
		assertThat(this.store.isLocked("a")).isFalse();
		assertThat(this.store.isLocked("b")).isFalse();
	}

	@Test
	void maxHoldEndsTheRenewalsAsBefore() {
		Lease lease = acquire(REQUEST.maxHold(SHORT));
		this.instance.advance(SHORT);
		lease.extend(LONG);
		assertRemaining(lease, LONG);
		this.instance.advance(LONG);
		assertLost(lease, LossReason.MAX_HOLD);
	}

	private Lease acquire(LockRequest request) {
		return this.instance.acquire(request).join();
	}

	private static CompletableFuture<Void> extend(Lease lease, Duration ttl) {
		return lease.extendAsync(ttl, null).toCompletableFuture();
	}

	private static void assertRemaining(Lease lease, Duration ttl) {
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.remaining()).isBetween(ttl.minus(DRIFT), ttl);
	}

	private static void assertUnavailable(CompletableFuture<Void> extended) {
		assertThat(ManualInstance.failure(extended)).isInstanceOfSatisfying(LockStoreException.class,
				(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
	}

	private static void assertLost(Lease lease, LossReason reason) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkHeld)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(reason));
	}

	private static void assertInvalid(String setting, Runnable call) {
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(call::run)
			.satisfies((ex) -> assertThat(ex.getSetting()).isEqualTo(setting));
	}

}
