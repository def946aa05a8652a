package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Two processes from one image that was made without any hook while a lock was held. The
 * store used to confirm it to both for as long as they renewed it.
 */
class RenewalHistoryTwinTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	private static final Duration WHILE_IT_WAS_STORED = Duration.ofMinutes(5);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(TTL);

	private final ManualInstance origin = new ManualInstance();

	private final ManualInstance one = this.origin.restored();

	private final ManualInstance other = this.origin.restored();

	/** Both have the lock that was held when the image was made. */
	private final Lease ofOne = used(this.one);

	private final Lease ofOther = used(this.other);

	private static Lease used(ManualInstance instance) {
		Lease lease = instance.acquire(REQUEST).join();
		lease.checkHeld();
		return lease;
	}

	/** It was busy for as long as the other one held the lock: its place was taken. */
	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void twinThatHasLostASharedLockGetsItAgainBesideTheOther(LockMode mode) {
		LockRequest mine = LockRequest.of("shared").ttl(TTL).mode(mode);
		LockRequest shared = (mode == LockMode.SEMAPHORE) ? mine.permits(3) : mine;
		Lease kept = this.one.acquire(shared).join();
		Lease lost = this.other.acquire(shared).join();
		assertThat(kept.fencingToken()).isEqualTo(lost.fencingToken());
		kept.checkHeld();
		lost.checkHeld();
		this.one.advance(TTL.dividedBy(3));
		this.other.advance(TTL.dividedBy(3));
		assertThat(kept.isHeld()).isTrue();
		assertThat(lost.isLost()).isTrue();
		assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
		this.one.advance(TTL.dividedBy(3));
		assertThat(this.other.acquire(shared.waitFor(Duration.ZERO)).join().isHeld()).isTrue();
		assertThat(kept.isHeld()).isTrue();
	}

	@Test
	void twinsWhoseClocksShowItNeverBelieveBoth() {
		assertThat(this.ofOne.fencingToken()).isEqualTo(this.ofOther.fencingToken());
		this.one.clock.suspend(WHILE_IT_WAS_STORED);
		this.other.clock.suspend(WHILE_IT_WAS_STORED);
		assertThat(this.ofOne.isHeld()).isFalse();
		assertThat(this.ofOther.isHeld()).isFalse();
		this.other.runDue();
		assertThat(this.ofOther.isHeld()).isTrue();
		this.one.runDue();
		assertThat(this.ofOne.isHeld()).isFalse();
		assertLossIsTold(this.one);
		assertThat(this.ofOther.isHeld()).isTrue();
	}

	@Test
	void twinsWithoutRenewalWhoseClocksShowItNeverBelieveBoth() {
		LockRequest request = LockRequest.of("unrenewed").ttl(TTL).renew(false);
		Lease first = this.one.acquire(request).join();
		Lease second = this.other.acquire(request).join();
		this.one.clock.suspend(WHILE_IT_WAS_STORED);
		this.other.clock.suspend(WHILE_IT_WAS_STORED);
		first.checkHeld();
		assertThatThrownBy(second::checkHeld).isInstanceOf(LockLostException.class)
			.hasMessageContaining(LossReason.NOT_OWNER.description());
		assertThat(first.isHeld()).isTrue();
	}

	@Test
	void twinsWhoseClocksShowNothingBelieveBothUntilTheNextRenewal() {
		this.one.advance(TTL.dividedBy(3));
		this.other.advance(TTL.dividedBy(3));
		assertThat(this.ofOne.isHeld()).isTrue();
		assertThat(this.ofOther.isLost()).isTrue();
		assertLossIsTold(this.other);
		this.one.advance(TTL);
		assertThat(this.ofOne.isHeld()).isTrue();
	}

	/** Both have the mark of the last renewal from the image. */
	@Test
	void twinsWhoseLeaseWasRenewedBeforeTheImageDoNotBothKeepIt() {
		ManualInstance first = this.origin.restored(43L);
		ManualInstance second = this.origin.restored(43L);
		LockRequest request = LockRequest.of("renewed").ttl(TTL);
		Lease ofFirst = first.acquire(request).join();
		Lease ofSecond = second.acquire(request).join();
		first.advance(TTL.dividedBy(3));
		second.advance(TTL.dividedBy(3));
		assertThat(ofFirst.isHeld()).isTrue();
		assertThat(ofSecond.isHeld()).isTrue();
		first.advance(TTL.dividedBy(3));
		second.advance(TTL.dividedBy(3));
		assertThat(ofFirst.isHeld()).isTrue();
		assertThat(ofSecond.isLost()).isTrue();
	}

	@Test
	void releaseOfATwinDoesNotFreeTheLockOfTheOther() {
		this.one.advance(TTL.dividedBy(3));
		assertThatThrownBy(this.ofOther::close).isInstanceOf(LockLostException.class);
		assertThat(this.one.store.isLocked("k")).isTrue();
		assertThat(this.ofOne.isHeld()).isTrue();
		this.ofOne.close();
		assertThat(this.one.store.isLocked("k")).isFalse();
	}

	/**
	 * With the same mark both twins would repeat the renewal that was on its way when the
	 * image was made.
	 */
	@Test
	void confirmationOfADoubtHasANewMark() {
		this.one.store.silence(Command.RENEW);
		this.one.advance(TTL.dividedBy(3));
		this.one.clock.suspend(WHILE_IT_WAS_STORED);
		this.one.advance(Duration.ZERO);
		this.ofOne.isHeld();
		this.one.runDue();
		List<RenewalMarks> sent = marksOfOne();
		assertThat(sent).hasSize(2);
		assertThat(sent.get(1).text()).hasSizeGreaterThan(8).endsWith("," + sent.get(0).text());
	}

	@Test
	void renewalWithoutAnAnswerIsRepeatedWithTheSameMark() {
		this.one.store.failAll(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
		this.one.advance(TTL.multipliedBy(2).dividedBy(3));
		assertThat(marksOfOne()).hasSizeGreaterThan(2).allMatch(marksOfOne().get(0)::equals);
		this.one.store.heal();
		this.one.advance(TTL);
		assertThat(this.ofOne.isHeld()).isTrue();
		assertThat(marksOfOne().get(marksOfOne().size() - 1)).isNotEqualTo(marksOfOne().get(0));
	}

	/** The mark that the store keeps was pushed out. */
	@Test
	void leaseOutlastsAnyNumberOfJumpsWithoutAnAnswer() {
		this.one.advance(TTL.dividedBy(3));
		this.one.store.failAll(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
		for (int i = 0; i < 6; i++) {
			this.one.clock.suspend(Duration.ofMillis(50));
			this.ofOne.isHeld();
			this.one.advance(Duration.ofMillis(100));
		}
		assertThat(marksOfOne().stream().distinct()).hasSizeGreaterThan(5);
		this.one.store.heal();
		this.one.advance(TTL.dividedBy(3));
		assertThat(this.ofOne.isHeld()).isTrue();
		assertThat(this.one.store.renewed()).isNotEmpty();
	}

	/** A replica that is a second late has to know the holder after a fail-over. */
	@Test
	void renewalsThatFollowEachOtherSoonHaveOneMark() {
		this.one.advance(TTL.dividedBy(3));
		for (int i = 0; i < 6; i++) {
			this.one.engine.wakeUpAll();
			this.one.runDue();
			this.one.advance(Duration.ofMillis(100));
		}
		assertThat(marksOfOne()).hasSizeGreaterThan(6).allMatch(marksOfOne().get(0)::equals);
		this.one.advance(TTL.dividedBy(3));
		assertThat(marksOfOne().get(marksOfOne().size() - 1)).isNotEqualTo(marksOfOne().get(0));
		assertThat(this.ofOne.isHeld()).isTrue();
	}

	/** The store refuses it, since a later one was applied. */
	@Test
	void lateCopyOfAnOlderRenewalIsNoLoss() {
		this.one.store.withCommandTimeout(TTL);
		Held late = this.one.store.hold(Command.RENEW);
		this.one.advance(TTL.dividedBy(3));
		assertThat(late.isSent()).isTrue();
		this.one.advance(TTL.dividedBy(3).multipliedBy(2));
		assertThat(marksOfOne().get(marksOfOne().size() - 1)).isNotEqualTo(marksOfOne().get(0));
		late.answer();
		this.one.runDue();
		assertThat(this.ofOne.isHeld()).isTrue();
		this.one.advance(TTL);
		assertThat(this.ofOne.isHeld()).isTrue();
	}

	private List<RenewalMarks> marksOfOne() {
		return this.one.store.renewed().stream().map(RenewCommand::marks).toList();
	}

	private static void assertLossIsTold(ManualInstance instance) {
		instance.runDue();
		assertThat(instance.events).filteredOn(LockEvent.Lost.class::isInstance)
			.extracting((event) -> ((LockEvent.Lost) event).reason())
			.containsExactly(LossReason.NOT_OWNER);
	}

}
