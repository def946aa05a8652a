package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.CapturedLog;
import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The log messages about few locks that are lost, and about many. */
@ExtendWith(CapturedLog.Extension.class)
class WarningsTests {

	private static final Duration WINDOW = Duration.ofSeconds(1);

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final String FAILURE = "UNAVAILABLE says the store";

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private List<Lease> hold(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> this.instance.acquire(LockRequest.of("k" + i).ttl(TTL)).join())
			.toList();
	}

	private static long warnings(CapturedLog output) {
		return output.toString().lines().filter((line) -> line.contains(" WARN ")).count();
	}

	private long told() {
		return this.instance.events.stream().filter(LockEvent.Lost.class::isInstance).count();
	}

	/** 87,681 losses wrote 87,681 warnings, 25 MB. */
	@Test
	void lossOfManyIsOneWarningAtOnceAndOneWithTheirNumber(CapturedLog output) {
		hold(1000);
		this.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(TTL);
		assertThat(told()).isEqualTo(1000);
		assertThat(warnings(output)).isOne();
		assertThat(output).contains("was lost: ").contains("The last renewal failed: " + FAILURE);
		this.instance.advance(WINDOW);
		assertThat(warnings(output)).isEqualTo(2);
		assertThat(output).contains("999 more locks were lost within a second. The last: Lock 'k")
			.contains("its lease ran out before a renewal was confirmed. The last renewal failed: " + FAILURE);
	}

	@Test
	void lossesThatGoOnAreOneWarningEachSecond(CapturedLog output) {
		for (int second = 0; second < 5; second++) {
			this.instance.acquire(LockRequest.of("a" + second).ttl(TTL).renew(false));
			this.instance.acquire(LockRequest.of("b" + second).ttl(TTL).renew(false));
			this.instance.advance(Duration.ofMillis(1000));
		}
		this.instance.advance(TTL.plusSeconds(1));
		assertThat(told()).isEqualTo(10);
		assertThat(warnings(output)).isBetween(5L, 6L);
	}

	/** "1 more locks were lost: 1 such as 'k1'". */
	@Test
	void secondLossOfASecondHasItsOwnLine(CapturedLog output) {
		hold(2);
		this.instance.engine.loseAll(LossReason.SHUTDOWN);
		this.instance.advance(WINDOW);
		assertThat(warnings(output)).isEqualTo(2);
		assertThat(output).contains("Lock 'k0' (token ", "Lock 'k1' (token ").doesNotContain(" more ");
	}

	@Test
	void lossLongAfterAnotherIsToldAtOnce(CapturedLog output) {
		hold(1);
		this.store.locks().remove("", "k0");
		this.instance.advance(TTL);
		hold(1);
		this.store.locks().remove("", "k0");
		this.instance.advance(TTL);
		assertThat(output.toString().lines().filter((line) -> line.contains("Lock 'k0'"))).hasSize(2);
	}

	@Test
	void lossesThatHaveNoLineYetHaveOneWhenTheRegistryIsClosed(CapturedLog output) {
		hold(3);
		this.instance.engine.loseAll(LossReason.SHUTDOWN);
		this.instance.engine.stop();
		assertThat(told()).isEqualTo(3);
		assertThat(output).contains("2 more locks were lost").contains("the registry was closed while it was held");
		assertThat(warnings(output)).isEqualTo(2);
	}

	@Test
	void releasesOfManyThatAreNotConfirmedAreOneWarning(CapturedLog output) {
		List<Lease> held = hold(100);
		this.store.failAll(Command.RELEASE, Kind.UNAVAILABLE);
		held.forEach(Lease::close);
		this.instance.advance(WINDOW);
		assertThat(warnings(output)).isEqualTo(2);
		assertThat(output).contains("99 more releases were not confirmed")
			.contains("was not confirmed (" + FAILURE + ')');
	}

	@Test
	void lossAfterFailedRenewalsNamesTheFailureToCallerAndListeners() {
		Lease lease = hold(1).get(0);
		this.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(TTL);
		LockLostException loss = catchThrowableOfType(LockLostException.class, lease::checkHeld);
		assertThat(loss).hasMessageContaining("(the last one failed: " + FAILURE + ')');
		assertThat(loss.getCause()).hasMessage(FAILURE);
		assertThat(this.instance.events).filteredOn(LockEvent.Lost.class::isInstance)
			.singleElement()
			.satisfies((event) -> assertThat(((LockEvent.Lost) event).cause()).isSameAs(loss.getCause()));
	}

	/** A failure that was overcome explains nothing. */
	@Test
	void lossForAnotherReasonAfterAFailedRenewalDoesNotNameIt() {
		Lease lease = hold(1).get(0);
		this.store.fail(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(TTL.dividedBy(2));
		this.store.locks().remove("", "k0");
		this.instance.advance(TTL);
		assertThat(catchThrowableOfType(LockLostException.class, lease::checkHeld)).hasNoCause();
	}

}
