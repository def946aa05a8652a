package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A release gives the lock to the instance that waits first.
 */
class ClaimTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration POLL = Duration.ofSeconds(1);

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	@Test
	void waiterHasTheLockWithoutAskingAgain() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		held.close();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(waiting.join().fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(sent(Command.ACQUIRE)).isEqualTo(1);
		assertThat(this.here.store.asked().get(0).claim()).isEqualTo(LONG);
	}

	@Test
	void leaseOfAClaimIsRenewedLikeAnyOther() {
		Lease lease = claimed();
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(29));
		this.here.advance(Duration.ofSeconds(9));
		assertThat(sent(Command.RENEW)).isZero();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(sent(Command.RENEW)).isEqualTo(1);
		this.here.advance(LONG);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		assertThat(this.here.store.isLocked("a")).isFalse();
	}

	/** The body ran under a claim of a second before. */
	@ParameterizedTest
	@CsvSource({ "3, 0", "3, 740", "10, 0", "10, 900", "30, 0", "30, 900" })
	void leaseAfterAHandOffOutlastsAPauseOfTwoThirdsOfItsTtl(int ttl, int waited) {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request().ttl(Duration.ofSeconds(ttl)));
		this.here.advance(Duration.ofMillis(waited));
		this.here.store.silence(Command.RENEW);
		held.close();
		assertThat(sent(Command.ACQUIRE)).isEqualTo(1);
		Lease lease = waiting.join();
		this.here.advance(Duration.ofSeconds(ttl).multipliedBy(2).dividedBy(3));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.there.acquire(request().waitFor(Duration.ZERO))).isCompletedExceptionally();
	}

	/** A shorter lease than a tenth of a second was not given, so others overtook it. */
	@Test
	void lockOfAShortTtlIsGivenInTheOrderOfTheLine() {
		ManualInstance third = this.here.another();
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> hasty = this.here.acquire(request().ttl(Duration.ofMillis(50)).renew(false));
		CompletableFuture<Lease> plain = third.acquire(request());
		assertThat(asked(0).claim()).isEqualTo(Duration.ofMillis(50));
		held.close();
		assertThat(hasty).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(plain).isNotDone();
	}

	@Test
	void leaseThatIsReleasedBeforeIsNotRenewed() {
		claimed().close();
		this.here.runDue();
		assertThat(sent(Command.RENEW)).isZero();
		assertThat(this.here.store.isLocked("a")).isFalse();
	}

	/** It counted from the message, and outlived the claim in the store. */
	@Test
	void claimCountsFromTheCommandThatWaits() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(500));
		this.here.store.silence(Command.RENEW);
		held.close();
		Lease lease = waiting.join();
		assertThat(lease.remaining()).isBetween(Duration.ofMillis(29_180), Duration.ofMillis(29_200));
		this.here.advance(Duration.ofMillis(29_200));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.here.store.isLocked("a")).isTrue();
	}

	@Test
	void claimOfAWaiterThatAskedLongAgoIsConfirmedFirst() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request().ttl(Duration.ofSeconds(2)));
		this.here.advance(Duration.ofMillis(500));
		held.close();
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(asked(0).request()).isEqualTo(asked(1).request());
		assertThat(waiting.join().remaining()).isGreaterThan(Duration.ofMillis(1900));
		this.here.runDue();
		assertThat(sent(Command.RENEW)).isZero();
	}

	/** The answer to the second attempt is the one that counts. */
	@Test
	void claimCountsFromTheLastAnswerThatWasBusy() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		this.here.advance(POLL);
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		this.here.advance(Duration.ofMillis(300));
		held.close();
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(waiting.join().remaining()).isBetween(Duration.ofMillis(29_350), Duration.ofMillis(29_400));
	}

	/**
	 * It may have been applied before the lock was given, and then its answer says no
	 * more.
	 */
	@Test
	void claimDoesNotCountFromACommandWithoutAnswer() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request().ttl(Duration.ofSeconds(4)));
		ScriptedStore.Held lost = this.here.store.hold(Command.ACQUIRE);
		this.here.advance(POLL);
		assertThat(lost.isSent()).isTrue();
		this.here.advance(Duration.ofSeconds(1));
		ScriptedStore.Held next = this.here.store.hold(Command.ACQUIRE);
		held.close();
		this.here.advance(Duration.ofMillis(30));
		assertThat(waiting).isNotDone();
		next.answer();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void claimThatComesBeforeTheBusyAnswerIsUsedWithThat() {
		Lease held = this.there.acquire(request()).join();
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		attempt.apply();
		held.close();
		assertThat(waiting).isNotDone();
		attempt.answer();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(sent(Command.ACQUIRE)).isEqualTo(1);
	}

	/** The attempt may have been answered with the same grant already. */
	@Test
	void claimThatIsInUseIsNotGivenUp() throws InterruptedException {
		Lease lease = claimed();
		this.here.store.claimed("a", asked(0).request(), lease.fencingToken());
		assertThat(sent(Command.ABANDON)).isZero();
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.here.store.isLocked("a")).isTrue();
		ScriptedStore.Held release = this.here.store.hold(Command.RELEASE);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(lease::close);
		release.awaitSent();
		this.here.store.claimed("a", asked(0).request(), lease.fencingToken());
		release.answer();
		closed.join();
		assertThat(sent(Command.ABANDON)).isZero();
	}

	@Test
	void unwantedClaimIsGivenUpAtOnce() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		ScriptedStore.Held abandon = this.here.store.hold(Command.ABANDON);
		gone.cancel(true);
		assertThat(abandon.isSent()).isTrue();
		held.close();
		abandon.answer();
		assertThat(sent(Command.ABANDON)).isOne();
		assertThat(this.here.store.isLocked("a")).isFalse();
	}

	/** The release may have come before the call. */
	@Test
	void claimForARequestThatWasMadeBeforeTheCallIsGivenUp() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(10));
		CompletableFuture<Lease> late = this.here.acquire(request());
		gone.cancel(true);
		held.close();
		assertThat(late).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(asked(1).request()).isNotEqualTo(asked(0).request());
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(sent(Command.ABANDON)).isOne();
	}

	/** It got the token of the claim, which was older than its call. */
	@Test
	void callerDoesNotGoOnWithARequestThatAClaimMayHaveBeenGiven() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		this.here.store.deafen();
		held.close();
		this.here.advance(Duration.ofMillis(10));
		CompletableFuture<Lease> late = this.here.acquire(request());
		gone.cancel(true);
		CompletableFuture<Lease> later = this.here.acquire(request());
		late.cancel(true);
		assertThat(sent(Command.ACQUIRE)).isOne();
		this.here.advance(Duration.ofSeconds(5));
		assertThat(later).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(asked(1).request()).isNotEqualTo(asked(0).request());
	}

	/** It got the token of the attempt, which was older than its call. */
	@Test
	void callerDoesNotGoOnWithARequestThatHadNoAnswer() {
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> gone = this.here.acquire(request());
		attempt.apply();
		this.here.store.silence(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(1010));
		this.here.store.heal();
		CompletableFuture<Lease> late = this.here.acquire(request());
		gone.cancel(true);
		this.here.advance(Duration.ofSeconds(3));
		assertThat(late).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(asked(asked().size() - 1).request()).isNotEqualTo(asked(0).request());
	}

	/** A process from the same image hears it as well, and would free it. */
	@Test
	void claimOfARequestOfATwinIsLeftAlone() {
		this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		String twins = asked(0).request().toString().substring(0, 20) + "000000000fff";
		this.here.engine.claimed(asked(0).keys().get(0).encoded(), twins, 7);
		this.here.engine.claimed(asked(0).keys().get(0).encoded() + "b", twins, 7);
		assertThat(sent(Command.ABANDON)).isZero();
		assertThat(waiting).isNotDone();
	}

	@Test
	void claimOfAnEarlierRequestOfTheInstanceIsGivenUp() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		CompletableFuture<Lease> waiting = this.here.acquire(request().ttl(Duration.ofSeconds(90)));
		ScriptedStore.Held attempt = followedBy(gone);
		held.close();
		assertThat(sent(Command.ABANDON)).isEqualTo(1);
		attempt.answer();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** It was given up once, and the lock stayed taken for the ttl if that was lost. */
	@Test
	void claimOfADroppedRequestIsGivenUpUntilTheStoreAnswers() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		CompletableFuture<Lease> waiting = this.here.acquire(request().ttl(Duration.ofSeconds(90)));
		ScriptedStore.Held attempt = followedBy(gone);
		this.here.store.silence(Command.ABANDON);
		held.close();
		attempt.answer();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(waiting).isNotDone();
		this.here.store.heal();
		this.here.advance(Duration.ofSeconds(5));
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void waiterThatGivesUpHandsItsClaimOn() {
		ManualInstance third = this.here.another();
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> first = this.here.acquire(request().ttl(Duration.ofSeconds(2)));
		CompletableFuture<Lease> second = third.acquire(request());
		this.here.advance(Duration.ofMillis(700));
		ScriptedStore.Held confirmation = this.here.store.hold(Command.ACQUIRE);
		held.close();
		assertThat(confirmation.isSent()).isTrue();
		first.cancel(true);
		third.runDue();
		assertThat(second).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void instancesGetTheLockInOrder() {
		ManualInstance third = this.here.another();
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> first = this.here.acquire(request());
		CompletableFuture<Lease> second = third.acquire(request());
		held.close();
		CompletableFuture<Lease> again = this.there.acquire(request());
		first.join().close();
		assertThat(second).isCompletedWithValueMatching(Lease::isHeld);
		second.join().close();
		assertThat(again).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void lockOfAnInstanceThatDiedIsFreeAfterItsTtl() {
		ManualInstance dead = this.here.another();
		Lease held = this.there.acquire(request()).join();
		dead.acquire(request());
		CompletableFuture<Lease> waiting = this.here.acquire(request().waitFor(Duration.ofMinutes(5)));
		dead.store.close();
		held.close();
		this.here.advance(LONG.minusMillis(10));
		assertThat(waiting).isNotDone();
		this.here.advance(POLL);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void claimThatIsNotRenewedIsLost() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		this.here.store.silence(Command.RENEW);
		held.close();
		Lease lease = waiting.join();
		this.here.advance(LONG);
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.here.events).filteredOn(LockEvent.Lost.class::isInstance)
			.extracting((event) -> ((LockEvent.Lost) event).reason())
			.containsExactly(LossReason.EXPIRED);
		assertThat(sent(Command.RENEW)).as("tries within the claim").isGreaterThan(2);
	}

	@Test
	void waiterWithOthersBehindItReservesTokensForThem() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> first = this.here.acquire(request());
		CompletableFuture<Lease> second = this.here.acquire(request());
		held.close();
		assertThat(asked(1).spareTokens()).isEqualTo(8);
		first.join().close();
		assertThat(second).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(sent(Command.RELEASE)).isZero();
	}

	/** No pause is needed for another instance to come in between. */
	@Test
	void turnEndsWithTheReleaseThatGivesTheLockOn() {
		Queue<CompletableFuture<Lease>> line = new ArrayDeque<>();
		CompletableFuture<Lease> next = this.there.acquire(request());
		CompletableFuture<Lease> elsewhere = this.here.acquire(request());
		int turn = 0;
		for (; next.isDone(); turn++) {
			line.add(this.there.acquire(request()));
			line.add(this.there.acquire(request()));
			next.join().close();
			next = line.remove();
			assertThat(elsewhere.isDone()).isNotEqualTo(next.isDone());
		}
		assertThat(turn).isGreaterThanOrEqualTo(1);
		assertThat(elsewhere).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(sent(Command.ACQUIRE)).isEqualTo(1);
		elsewhere.join().close();
		assertThat(next).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void leaseThatIsNotToBeRenewedIsAskedFor() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request().renew(false));
		held.close();
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(waiting.join().remaining()).isGreaterThan(Duration.ofSeconds(25));
	}

	@Test
	void claimOfALockThatIsToBeKeptIsConfirmedFirst() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request().keepFor(Duration.ofMinutes(1)));
		ScriptedStore.Held confirmation = this.here.store.hold(Command.ACQUIRE);
		held.close();
		assertThat(asked(0).claim()).isEqualTo(LONG);
		assertThat(confirmation.isSent()).isTrue();
		assertThat(waiting).isNotDone();
		assertThat(this.here.store.isLocked("a")).isTrue();
		confirmation.answer();
		waiting.join().close();
		assertThat(this.there.acquire(request().waitFor(Duration.ZERO))).isCompletedExceptionally();
		this.here.advance(Duration.ofMinutes(1));
		assertThat(this.here.store.isLocked("a")).isFalse();
	}

	/** A plain waiter came before it again and again. */
	@Test
	void lockThatIsToBeKeptIsGivenInTheOrderOfTheLine() {
		ManualInstance third = this.here.another();
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> keeper = this.here.acquire(request().keepFor(Duration.ofMillis(1)));
		CompletableFuture<Lease> plain = third.acquire(request());
		held.close();
		assertThat(keeper).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(plain).isNotDone();
	}

	@Test
	void waiterThatDiedKeepsNothing() {
		ManualInstance dead = this.here.another();
		Lease held = this.there.acquire(request()).join();
		dead.acquire(request().keepFor(Duration.ofHours(1)));
		CompletableFuture<Lease> waiting = this.here.acquire(request().waitFor(Duration.ofMinutes(5)));
		dead.store.close();
		held.close();
		this.here.advance(LONG.plus(POLL));
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void storeWithoutTheCapabilityIsAskedForNoClaim() {
		for (StoreCapability missing : List.of(StoreCapability.CLAIMS, StoreCapability.WAKE_UPS)) {
			StoreCapability[] others = EnumSet.complementOf(EnumSet.of(missing)).toArray(StoreCapability[]::new);
			ManualInstance poor = ManualInstance.offering(others);
			poor.another().acquire(request()).join();
			poor.acquire(request());
			assertThat(poor.store.asked().get(0).claim()).as("%s", missing).isZero();
		}
	}

	@Test
	void exclusiveRequestsAndFairOnesForOneKeyHaveAClaim() {
		this.here.store.takeTogether();
		this.there.acquire(request()).join();
		this.here.acquire(LockRequest.ofAll("a", "b").waitFor(LONG).ttl(LONG));
		this.here.acquire(LockRequest.ofAll("a", "b").waitFor(LONG).mode(LockMode.FAIR));
		this.here.acquire(request().mode(LockMode.FAIR));
		this.here.acquire(request().mode(LockMode.READ));
		assertThat(this.here.store.asked()).extracting(AcquireCommand::claim)
			.containsExactly(LONG, Duration.ZERO, LONG, Duration.ZERO);
	}

	/** Each of them cost a command. */
	@Test
	void callersWhoGiveUpOneAfterTheOtherCostNoCommand() {
		this.there.acquire(request()).join();
		for (int i = 0; i < 500; i++) {
			this.here.acquire(request().waitFor(Duration.ofMillis(1500)));
		}
		ScriptedStore.Held poll = this.here.store.hold(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(1499));
		assertThat(poll.isSent()).isTrue();
		this.here.advance(Duration.ofMillis(1));
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(sent(Command.ABANDON)).isOne();
	}

	/** The answer may have a token that is older than the call. */
	@Test
	void callerDoesNotGoOnWithAnAttemptThatWasSentBeforeItsCall() {
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> gone = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(1));
		CompletableFuture<Lease> late = this.here.acquire(request());
		gone.cancel(true);
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(asked(1).request()).isNotEqualTo(asked(0).request());
		attempt.answer();
		this.here.runDue();
		assertThat(late).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void claimInDoubtIsNotUsed() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		this.here.engine.instance.clock.distrust();
		held.close();
		this.here.runDue();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(asked(asked().size() - 1).request().instance()).isNotEqualTo(asked(0).request().instance());
	}

	/** Let a caller leave. Return the attempt of the next one, which is on its way. */
	private ScriptedStore.Held followedBy(CompletableFuture<Lease> gone) {
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		gone.cancel(true);
		assertThat(attempt.isSent()).isTrue();
		return attempt;
	}

	private Lease claimed() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> waiting = this.here.acquire(request());
		held.close();
		return waiting.join();
	}

	private int sent(Command command) {
		return this.here.store.sent(command);
	}

	private List<AcquireCommand> asked() {
		return this.here.store.asked();
	}

	private AcquireCommand asked(int index) {
		return asked().get(index);
	}

	private static LockRequest request() {
		return LockRequest.of("a").waitFor(LONG);
	}

}
