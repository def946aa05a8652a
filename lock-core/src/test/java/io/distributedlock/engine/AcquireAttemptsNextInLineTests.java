package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The times of the attempts of a waiter to which the next release gives the lock, and the
 * behaviour of the others meanwhile.
 */
class AcquireAttemptsNextInLineTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofHours(1));

	private static final Duration POLL = EngineSettings.DEFAULTS.pollInterval();

	private static final Duration PATIENT = POLL.multipliedBy(4);

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration MOMENT = Duration.ofMillis(10);

	private final ManualInstance here = new ManualInstance();

	private final ScriptedStore store = this.here.store;

	private final ManualInstance holder = this.here.another();

	private final Lease held = this.holder.acquire(REQUEST.renew(false)).join();

	@Test
	void waiterThatIsNextAttemptsEveryFourPollIntervals() {
		this.here.acquire(REQUEST);
		assertThat(attempts(POLL)).isEqualTo(2);
		assertThat(attempts(PATIENT.minusMillis(1))).isEqualTo(2);
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(3);
		assertThat(attempts(PATIENT)).isEqualTo(4);
	}

	/** Its entry lasts beyond its next attempt. */
	@Test
	void waiterThatIsNextHasTheLockJustBeforeItsAttempt() {
		CompletableFuture<Lease> waiting = patient();
		this.here.clock.advance(PATIENT.minusMillis(1));
		this.held.release();
		assertThat(waiting).isCompleted();
	}

	@Test
	void waiterThatIsNextAttemptsAgainWhenTheLeaseOfTheHolderEnds() {
		patient();
		int before = attempts(PATIENT.multipliedBy(7));
		assertThat(attempts(POLL)).isEqualTo(before);
		assertThat(attempts(Duration.ofMillis(2))).isEqualTo(before + 1);
		assertThat(this.here.engine.instance.heldCount()).isOne();
	}

	/** Nothing says how long it has not been heard. */
	@Test
	void waiterThatIsNextAttemptsSoonWhenWakeUpsAreLost() {
		patient();
		this.store.wakeUpsLost();
		int before = attempts(POLL.minusMillis(1));
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(before + 1);
	}

	/** The next caller kept the alarm of the one before, and none of its knowledge. */
	@Test
	void successorOfTheNextInLineAttemptsSoonWhenWakeUpsAreLost() {
		CompletableFuture<Lease> gone = patient();
		this.here.advance(MOMENT);
		CompletableFuture<Lease> late = this.here.acquire(REQUEST);
		gone.cancel(true);
		this.store.wakeUpsLost();
		int before = attempts(POLL.minusMillis(1));
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(before + 1);
		assertThat(late).isNotDone();
	}

	@Test
	void lostWakeUpsDelayNoAttempt() {
		patient();
		int before = attempts(PATIENT.minusMillis(5));
		this.store.wakeUpsLost();
		assertThat(attempts(Duration.ofMillis(5))).isEqualTo(before + 1);
	}

	/** The answer was made while the instance was heard, and says that it is next. */
	@Test
	void waiterWhoseAttemptIsUnderWayWhenWakeUpsAreLostIsNotPatient() {
		patient();
		Held attempt = this.store.hold(Command.ACQUIRE);
		attempts(PATIENT);
		assertThat(attempt.isSent()).isTrue();
		this.store.wakeUpsLost();
		attempt.answer();
		int before = attempts(POLL.minusMillis(1));
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(before + 1);
	}

	@Test
	void waiterThatIsNextAttemptsAtOnceWhenWakeUpsAreBack() {
		patient();
		this.store.wakeUpsLost();
		int before = attempts(Duration.ZERO);
		this.store.wakeUpAll();
		assertThat(attempts(Duration.ZERO)).isEqualTo(before + 1);
	}

	/** It waited for another claim and then for its own long pause. */
	@Test
	void deadInstanceThatIsNextCostsTheOthersItsTtlAndAPollAtMost() {
		ManualInstance dead = this.here.another();
		dead.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquire(REQUEST);
		dead.advance(POLL);
		this.here.advance(PATIENT);
		dead.store.close();
		this.held.release();
		this.here.advance(TTL.plus(MOMENT));
		assertThat(waiting).isCompleted();
	}

	@Test
	void deadInstancesCostTheOthersTheTtlOfTheFirstAndAPollAtMost() {
		ManualInstance first = this.here.another();
		first.acquire(REQUEST);
		ManualInstance second = this.here.another();
		second.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquire(REQUEST);
		first.store.close();
		second.store.close();
		this.here.advance(MOMENT);
		this.held.release();
		this.here.advance(TTL.plus(POLL));
		assertThat(waiting).isCompleted();
	}

	@Test
	void waiterBehindAnotherOneAttemptsOncePerPollInterval() {
		this.here.another().acquire(REQUEST);
		this.here.acquire(REQUEST);
		assertThat(attempts(POLL)).isEqualTo(2);
		assertThat(attempts(POLL)).isEqualTo(3);
	}

	/** None of them is given the lock, so a dead one before them goes unnoticed. */
	@Test
	void waiterThatCanOnlyBeWokenAttemptsOncePerPollInterval() {
		this.here.acquire(REQUEST.mode(LockMode.FAIR));
		assertThat(attempts(POLL)).isEqualTo(2);
		assertThat(attempts(POLL)).isEqualTo(3);
		assertThat(attempts(POLL)).isEqualTo(4);
	}

	/** Its lease would be over before the next attempt, if the message is lost. */
	@Test
	void waiterWithAShortTtlAttemptsBeforeItsLeaseWouldBeOver() {
		this.here.acquire(REQUEST.ttl(Duration.ofSeconds(6)));
		assertThat(attempts(POLL)).isEqualTo(2);
		assertThat(attempts(POLL.multipliedBy(3).minusMillis(1))).isEqualTo(2);
		assertThat(attempts(Duration.ofMillis(1))).isEqualTo(3);
	}

	@Test
	void waiterWithAVeryShortTtlAttemptsOncePerPollInterval() {
		this.here.acquire(REQUEST.ttl(Duration.ofMillis(300)));
		assertThat(attempts(POLL)).isEqualTo(2);
		assertThat(attempts(POLL)).isEqualTo(3);
		assertThat(attempts(POLL)).isEqualTo(4);
	}

	@Test
	void waiterOnAStoreWithoutClaimsAttemptsOncePerPollInterval() {
		ManualInstance plain = ManualInstance.withoutClaims();
		plain.another().acquire(REQUEST).join();
		plain.acquire(REQUEST);
		plain.advance(POLL.multipliedBy(5));
		assertThat(plain.store.sent(Command.ACQUIRE)).isEqualTo(6);
	}

	/** When it ends, no release gives the lock to a waiter. */
	@Test
	void waiterForALockThatIsKeptAttemptsOncePerPollInterval() {
		this.held.release();
		this.holder.acquire(REQUEST.keepFor(Duration.ofSeconds(20))).join();
		this.here.acquire(REQUEST);
		assertThat(attempts(POLL.multipliedBy(5))).isEqualTo(6);
	}

	/**
	 * Readers came first, and died; the writer learned of it by its next attempt only.
	 */
	@ParameterizedTest
	@CsvSource({ "READ, 2", "FAIR, 5" })
	void waiterThatIsPassedOverAttemptsAsOftenAsOthers(LockMode mode, int seconds) {
		CompletableFuture<Lease> waiting = patient();
		ManualInstance dead = this.here.another();
		dead.acquire(REQUEST.mode(mode));
		dead.store.close();
		this.held.release();
		this.here.advance(Duration.ofSeconds(seconds));
		assertThat(waiting).isCompleted();
	}

	/** Its entry, which was to last for a long pause, kept readers out. */
	@Test
	void deadInstanceThatIsPassedOverKeepsReadersOutForASecondAtMost() {
		ManualInstance dead = this.here.another();
		dead.acquire(REQUEST);
		dead.advance(POLL);
		dead.store.close();
		CompletableFuture<Lease> reader = this.here.acquire(REQUEST.mode(LockMode.READ));
		this.held.release();
		assertThat(reader).isCompleted();
		CompletableFuture<Lease> late = this.holder.acquire(REQUEST.mode(LockMode.READ));
		this.holder.advance(Duration.ofMillis(1001));
		assertThat(late).isCompleted();
	}

	/** No entry counts for longer than a minute. */
	@ParameterizedTest
	@CsvSource({ "1, 1, 4", "10, 10, 40", "12, 12, 36", "20, 20, 20" })
	void patienceIsBoundByWhatEntriesMayLast(int poll, int first, int next) {
		ManualInstance instance = ManualInstance
			.with(EngineSettings.DEFAULTS.withPollInterval(Duration.ofSeconds(poll)));
		instance.another().acquire(REQUEST.ttl(Duration.ofHours(1)).renew(false)).join();
		instance.acquire(REQUEST.ttl(Duration.ofHours(1)));
		assertThat(attempts(instance, Duration.ofSeconds(first))).isEqualTo(2);
		assertThat(attempts(instance, Duration.ofSeconds(next).minusMillis(1))).isEqualTo(2);
		assertThat(attempts(instance, Duration.ofMillis(1))).isEqualTo(3);
		assertThat(instance.store.asked().get(1).waiting()).isLessThanOrEqualTo(Duration.ofMinutes(1))
			.isGreaterThan(Duration.ofSeconds(next));
	}

	/** A waiter that has found out that it is next. */
	private CompletableFuture<Lease> patient() {
		CompletableFuture<Lease> waiting = this.here.acquire(REQUEST);
		this.here.advance(POLL);
		assertThat(waiting).isNotDone();
		return waiting;
	}

	private int attempts(Duration advance) {
		return attempts(this.here, advance);
	}

	private static int attempts(ManualInstance instance, Duration advance) {
		instance.advance(advance);
		return instance.store.sent(Command.ACQUIRE);
	}

}
