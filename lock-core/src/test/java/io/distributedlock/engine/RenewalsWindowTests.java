package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.renewal.Renewals;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewals at a node that refuses everything, and answers in short windows: they missed
 * them, since each waited for its own next try.
 */
@Timeout(60)
class RenewalsWindowTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final int PHASES = 40;

	private ManualInstance instance = new ManualInstance();

	private List<Lease> acquire(int count, Duration ttl, Duration within) {
		return IntStream.range(0, count).mapToObj((i) -> {
			Lease lease = this.instance.acquire(LockRequest.of("k" + i).ttl(ttl)).join();
			this.instance.advance(within.dividedBy(count));
			return lease;
		}).toList();
	}

	/** Lets the windows begin everywhere in the time between two renewals. */
	@ParameterizedTest
	@CsvSource({ "750, 166, 3000", "2250, 500, 9000", "4000, 1500, 18000" })
	void leasesWhenTheNodeIsOpenInShortWindowsAreKept(long closed, long open, long ttl) {
		for (int phase = 0; phase < PHASES; phase++) {
			this.instance = new ManualInstance();
			List<Lease> leases = acquire(40, Duration.ofMillis(ttl), Duration.ofMillis(ttl / 6));
			this.instance.advance(Duration.ofMillis((closed + open) * phase / PHASES));
			for (long passed = 0; passed < 3 * ttl; passed += closed + open) {
				this.instance.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
				this.instance.advance(Duration.ofMillis(closed));
				this.instance.store.heal();
				this.instance.advance(Duration.ofMillis(open));
			}
			assertThat(leases).as("in phase " + phase).allMatch(Lease::isHeld);
		}
	}

	@Test
	void nodeThatRefusesGetsOneBatchAtATimeAndAllWhenItAnswers() {
		List<Lease> leases = acquire(10 * Renewals.BATCH_SIZE, TTL, Duration.ZERO);
		this.instance.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(Duration.ofSeconds(11));
		int before = this.instance.store.sent(Command.RENEW);
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.instance.store.sent(Command.RENEW) - before).isBetween(5, 10);
		this.instance.store.heal();
		this.instance.advance(Duration.ofMillis(100));
		assertThat(leases).allMatch((lease) -> lease.remaining().compareTo(TTL.minusSeconds(1)) > 0);
	}

	/** As often as without these tries. */
	@Test
	void leaseOfANodeThatRefusesFailsOnceInEachSixthOfItsTtl() {
		acquire(1, TTL, Duration.ZERO);
		this.instance.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(TTL.minusSeconds(1));
		assertThat(events(LockEvent.RenewalFailed.class)).hasSizeBetween(3, 5)
			.allMatch((event) -> ((LockEvent.RenewalFailed) event).cause().getMessage().contains("says the store"));
	}

	private List<LockEvent> events(Class<? extends LockEvent> type) {
		return this.instance.events.stream().filter(type::isInstance).toList();
	}

	/** It ends first, and would be tried before all others until then. */
	@ParameterizedTest
	@ValueSource(ints = { 2, 10, 29, 30 })
	void leaseThatIsRefusedAloneDelaysNoOthers(int ttl) {
		this.instance.store.withCommandTimeout(Duration.ofSeconds(10));
		this.instance.store.refuse("refused");
		List<Lease> leases = acquire(3, TTL, Duration.ZERO);
		this.instance.advance(TTL.minusSeconds(ttl).dividedBy(3));
		this.instance.acquire(LockRequest.of("refused").ttl(Duration.ofSeconds(ttl)));
		this.instance.advance(Duration.ofSeconds(ttl).dividedBy(3).plusSeconds(1));
		assertThat(leases).allMatch((lease) -> lease.remaining().compareTo(TTL.minusSeconds(3)) > 0);
	}

	/** A mistake is not tried more often. */
	@Test
	void leaseThatIsRefusedForGoodIsTriedInEachSixthOfItsTtl() {
		acquire(1, TTL, Duration.ZERO);
		this.instance.store.failAll(Command.RENEW, Kind.MISCONFIGURED);
		this.instance.advance(TTL);
		assertThat(this.instance.store.sent(Command.RENEW)).isBetween(3, 5);
	}

}
