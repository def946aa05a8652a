package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.renewal.Renewals;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Renewals that wait for their turn while the node of the store is silent. */
class RenewalsTurnTests {

	/** As many batches as a node that answers has at a time. */
	private static final int WAVE = Renewals.MOST_IN_FLIGHT;

	/** A number of batches so large that some wait for a turn. */
	private static final int WAITING = WAVE + 12;

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	/** Those of a shorter patience came first, again and again. */
	@Test
	void leasesThatEndFirstAreRenewedBeforeLessPatientOnes() {
		acquireInStep(WAITING * Renewals.BATCH_SIZE);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		this.instance.advance(Duration.ofSeconds(17));
		this.instance.acquire(LockRequest.of("last").ttl(Duration.ofMillis(4800)));
		this.instance.advance(Duration.ofMillis(1700));
		int before = this.store.renewed().size();
		this.instance.advance(Duration.ofMillis(1200));
		assertThat(sent(before)).isNotEmpty().doesNotContain("last");
	}

	/** It waited until it was due again, while others that end later were renewed. */
	@Test
	void leaseThatEndsFirstIsRenewedFirstThoughItsRenewalHasTimedOut() {
		Lease first = this.instance.acquire(LockRequest.of("first").ttl(Duration.ofSeconds(30))).join();
		this.instance.clock.advance(Duration.ofSeconds(1));
		acquireInStep(WAITING * Renewals.BATCH_SIZE);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		this.store.heal();
		this.instance.advance(this.store.commandTimeout());
		assertThat(first.remaining()).isGreaterThan(Duration.ofSeconds(29));
	}

	/**
	 * It came due again while it was on its way, and was sent once more, before others.
	 */
	@Test
	void renewalThatIsConfirmedWhileItWaitsForItsTurnIsNotSent() {
		this.store.withCommandTimeout(Duration.ofSeconds(4));
		List<ScriptedStore.Held> held = Stream.generate(() -> this.store.hold(Command.RENEW)).limit(WAVE * 2).toList();
		acquireInStep(WAVE * 2 * Renewals.BATCH_SIZE);
		pause(Duration.ofSeconds(10));
		this.instance.advance(Duration.ofSeconds(3));
		held.subList(0, WAVE).forEach(ScriptedStore.Held::answer);
		this.instance.advance(Duration.ofSeconds(3));
		held.subList(WAVE, WAVE * 2).forEach(ScriptedStore.Held::answer);
		this.instance.advance(Duration.ZERO);
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(WAVE * 2);
		this.instance.advance(Duration.ofSeconds(10));
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(WAVE * 4);
	}

	/** They came due in the next tick, when it was forgotten that the node was silent. */
	@Test
	void batchesThatTimeOutTogetherAreNotSentTogetherAgain() {
		acquireInStep(3 * Renewals.BATCH_SIZE);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		this.instance.clock.advance(this.store.commandTimeout());
		this.instance.clock.onReading(2, () -> this.instance.clock.advance(Duration.ofMillis(1)));
		this.instance.runDue();
		this.instance.runDue();
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(4);
	}

	/** Nothing was told of them, and they were lost without a cause. */
	@Test
	void leasesThatWaitForASilentNodeAreLostWithACause() {
		int count = 10_000;
		acquireInStep(count);
		this.store.silence(Command.RENEW);
		this.instance.advance(Duration.ofSeconds(29));
		assertThat(keys(LockEvent.RenewalFailed.class)).hasSize(count);
		assertThat(keys(LockEvent.Endangered.class)).hasSize(count);
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(keys(LockEvent.Lost.class)).hasSize(count);
		assertThat(this.instance.events).filteredOn(LockEvent.Lost.class::isInstance)
			.allMatch((event) -> ((LockEvent.Lost) event).cause() != null);
	}

	/** A renewal that comes due before its time has not waited for its turn. */
	@Test
	void renewalThatWaitsForItsTurnFailsOnceInEachTurn() {
		int count = WAITING * Renewals.BATCH_SIZE;
		acquireInStep(count);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		this.instance.advance(Duration.ofMillis(500));
		this.store.wakeUpAll();
		this.instance.advance(Duration.ofMillis(4900));
		Set<String> sent = sent(0);
		assertThat(sent).hasSizeLessThan(count);
		assertThat(keys(LockEvent.RenewalFailed.class)).allMatch(sent::contains);
		this.instance.advance(Duration.ofMillis(200));
		assertThat(this.instance.events)
			.filteredOn((event) -> event instanceof LockEvent.RenewalFailed && !sent.contains(event.key()))
			.hasSize(count - sent.size());
	}

	/** Timers that come due meanwhile fire all at once. */
	private void pause(Duration pause) {
		this.instance.clock.advance(pause);
		this.instance.runDue();
	}

	private Set<String> sent(int from) {
		return this.store.renewed()
			.stream()
			.skip(from)
			.map((command) -> command.key().key())
			.collect(Collectors.toSet());
	}

	private Set<String> keys(Class<? extends LockEvent> type) {
		return this.instance.events.stream().filter(type::isInstance).map(LockEvent::key).collect(Collectors.toSet());
	}

	private void acquireInStep(int count) {
		for (int i = 0; i < count; i++) {
			this.instance.acquire(LockRequest.of("k" + i).ttl(Duration.ofSeconds(30)));
		}
	}

}
