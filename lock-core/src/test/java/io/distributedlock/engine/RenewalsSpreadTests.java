package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.renewal.Renewals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** How renewals of many leases are spread over time, and how many batches they make. */
class RenewalsSpreadTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	private static final Duration SLOT = Duration.ofMillis(100);

	/**
	 * The store keeps leases renewed early: a third of the ttl is the latest promised.
	 */
	private static final Duration LEAST_LEFT = TTL.multipliedBy(2).dividedBy(3).minus(Duration.ofMillis(300));

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private final List<CompletableFuture<Lease>> leases = new ArrayList<>();

	private void acquire(int count) {
		for (int i = 0; i < count; i++) {
			this.leases.add(this.instance.acquire(LockRequest.of("k" + this.leases.size()).ttl(TTL)));
		}
	}

	/** How many batches were sent in each slot of a time. */
	private List<Integer> batches(Duration time) {
		List<Integer> batches = new ArrayList<>();
		for (long slot = 0; slot < time.dividedBy(SLOT); slot++) {
			int before = this.store.sent(Command.RENEW);
			this.instance.advance(SLOT);
			batches.add(this.store.sent(Command.RENEW) - before);
			assertThat(this.leases).as("left of %d", this.leases.size())
				.allMatch((lease) -> lease.join().remaining().compareTo(LEAST_LEFT) > 0);
		}
		return batches;
	}

	@Test
	void leasesThatComeOneByOneAreRenewedAfterAThirdAndNotBefore() {
		acquire(1);
		this.instance.advance(TTL.dividedBy(3).minus(SLOT).minusMillis(1));
		assertThat(this.store.sent(Command.RENEW)).isZero();
		this.instance.advance(SLOT.plusMillis(1));
		assertThat(this.store.sent(Command.RENEW)).isOne();
	}

	/** They were renewed in batches of 200, and the last one of each moment was small. */
	@ParameterizedTest
	@ValueSource(ints = { 10, 100, 1_000, 5_000, 10_000 })
	void batchesOfLeasesThatCameEvenlyAreOneForEachSlotAtMost(int count) {
		for (int slot = 0; slot < 30; slot++) {
			acquire((slot + 1) * count / 30 - slot * count / 30);
			this.instance.advance(SLOT);
		}
		for (int round = 0; round < 2; round++) {
			assertThat(batches(TTL.dividedBy(3))).allMatch((batches) -> batches <= 1);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 1_000, 5_000, 10_000 })
	void batchesOfLeasesThatCameAtOnceAreFullAndSpread(int count) {
		acquire(count);
		List<Integer> first = batches(TTL.dividedBy(3));
		int needed = (count + Renewals.BATCH_SIZE - 1) / Renewals.BATCH_SIZE;
		assertThat(first.stream().mapToInt(Integer::intValue).sum()).isBetween(needed, needed + 13);
		assertThat(first).allMatch((batches) -> batches <= (needed + 12) / 13);
		for (int round = 0; round < 2; round++) {
			int batches = batches(TTL.dividedBy(3)).stream().mapToInt(Integer::intValue).sum();
			assertThat(batches).isLessThanOrEqualTo(needed * 4 / 3 + 1);
		}
	}

	/** All would be due in one moment, and the last of them answered much later. */
	@Test
	void renewalsOfVeryManyLeasesThatCameAtOnceAreSpread() {
		acquire(50_000);
		assertThat(batches(TTL.dividedBy(3))).allMatch((batches) -> batches <= 12);
		for (int round = 0; round < 2; round++) {
			assertThat(batches(TTL.dividedBy(3))).allMatch((batches) -> batches <= 12);
		}
	}

	@Test
	void leasesThatAPauseHasBroughtInStepAreSpreadAgain() {
		acquire(50_000);
		this.instance.clock.advance(Duration.ofMillis(5_900));
		this.instance.runDue();
		batches(SLOT);
		for (int round = 0; round < 2; round++) {
			assertThat(batches(TTL.dividedBy(3))).allMatch((batches) -> batches <= 14);
		}
	}

}
