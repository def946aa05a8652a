package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The early warning: a renewal has failed, and less than half of the lease is left. */
class LeaseEndangeredTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final ManualInstance here = new ManualInstance();

	private final List<LockStoreException> told = new ArrayList<>();

	private Lease hold(String key) {
		Lease lease = this.here.acquire(LockRequest.of(key).ttl(TTL)).join();
		lease.onEndangered(this.told::add);
		return lease;
	}

	private List<LockEvent.Endangered> events() {
		return this.here.events.stream()
			.filter(LockEvent.Endangered.class::isInstance)
			.map(LockEvent.Endangered.class::cast)
			.toList();
	}

	@Test
	void leaseWithMoreThanHalfLeftIsNotEndangered() {
		hold("a");
		this.here.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.here.advance(TTL.dividedBy(3).plusMillis(10));
		assertThat(this.here.events).hasAtLeastOneElementOfType(LockEvent.RenewalFailed.class);
		assertThat(this.told).isEmpty();
		assertThat(events()).isEmpty();
	}

	@Test
	void holderIsToldOnceWithTheCauseBeforeTheLoss() {
		Lease lease = hold("a");
		this.here.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.here.advance(TTL.dividedBy(2).plusMillis(10));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.told).singleElement()
			.satisfies((cause) -> assertThat(cause).hasMessageContaining("UNAVAILABLE"));
		this.here.advance(TTL);
		assertThat(lease.isLost()).isTrue();
		assertThat(this.told).hasSize(1);
		assertThat(events()).singleElement().satisfies((event) -> {
			assertThat(event.key()).isEqualTo("a");
			assertThat(event.fencingToken()).isEqualTo(lease.fencingToken());
			assertThat(event.remaining()).isBetween(Duration.ofSeconds(1), TTL.dividedBy(2));
			assertThat(event.cause()).isSameAs(this.told.get(0));
		});
		assertThat(this.here.engine.instance.counters.endangered.sum()).isOne();
	}

	@Test
	void holderIsToldAgainAfterARenewalWasConfirmed() {
		hold("a");
		this.here.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.here.advance(TTL.dividedBy(2).plusMillis(10));
		this.here.store.heal();
		this.here.advance(TTL.dividedBy(6));
		assertThat(this.told).hasSize(1);
		this.here.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.here.advance(TTL.dividedBy(2).plusMillis(10));
		assertThat(this.told).hasSize(2);
		assertThat(events()).hasSize(2);
	}

	@Test
	void leaseThatWasClosedBeforeItsTurnIsNotTold() {
		Lease lease = hold("a");
		this.here.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.here.holdCallbacks();
		this.here.advance(TTL.dividedBy(2).plusMillis(10));
		lease.close();
		this.here.runCallbacks();
		assertThat(events()).hasSize(1);
		assertThat(this.told).isEmpty();
	}

	@Test
	void actionsThatBlockDelayNoLoss() throws InterruptedException {
		ScriptedStore store = new ScriptedStore();
		CountDownLatch lost = new CountDownLatch(4);
		CompletableFuture<Void> goOn = new CompletableFuture<>();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store)) {
			for (int key = 0; key < 4; key++) {
				Lease lease = registry.acquire(LockRequest.of("k" + key).ttl(Duration.ofMillis(600)));
				lease.onEndangered((cause) -> goOn.join());
				lease.onLost(lost::countDown);
			}
			store.failAll(Command.RENEW, Kind.UNAVAILABLE);
			lost.await();
			goOn.complete(null);
		}
	}

	@Test
	void closedLeaseIsNotTold() {
		Lease lease = hold("a");
		this.here.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.here.advance(TTL.dividedBy(3).plusMillis(10));
		lease.close();
		this.here.advance(TTL);
		assertThat(this.told).isEmpty();
	}

}
