package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.redlock.VirtualNode.State;
import io.distributedlock.redlock.VirtualQuorum.Instance;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a request leaves behind that must not be used again.
 */
class RedlockEndedRequestTests {

	private final VirtualQuorum quorum = new VirtualQuorum(5);

	private final Instance here = this.quorum.instance();

	private final Instance there = this.quorum.instance();

	@Test
	void readWhenEndedOnOneNodeLeavesNothingOnTheOthers() {
		RequestId[] holders = { hold(2), hold(3), hold(4) };
		RequestId reader = this.here.request();
		this.quorum.node(0).connect().abandon(VirtualQuorum.KEY, reader).join();
		assertEnded(this.here.acquire(reader, LockMode.READ, 0, VirtualQuorum.WAITING));
		assertThat(this.quorum.node(1).isLocked(VirtualQuorum.KEY)).isFalse();
		for (int i = 0; i < holders.length; i++) {
			this.quorum.node(2 + i).connect().release(VirtualQuorum.KEY, holders[i]).join();
		}
		assertThat(this.there.acquire(this.there.request())).as("no reader waits any more")
			.isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void fairWhenEndedSinceOthersStoodInItsWayLeavesNoPlaceInAnyLine() {
		RequestId[] holders = { hold(2), hold(3), hold(4) };
		RequestId waiter = this.here.request();
		for (int i = 0; i < 3; i++) {
			assertThat(this.here.acquire(waiter, LockMode.FAIR, 0, VirtualQuorum.WAITING).join())
				.isInstanceOfSatisfying(Busy.class, (busy) -> assertThat(busy.ended()).isFalse());
		}
		assertEnded(this.here.acquire(waiter, LockMode.FAIR, 0, VirtualQuorum.WAITING));
		for (int i = 0; i < holders.length; i++) {
			this.quorum.node(2 + i).connect().release(VirtualQuorum.KEY, holders[i]).join();
		}
		assertThat(this.there.acquire(this.there.request())).as("nobody stands in line any more")
			.isCompletedWithValueMatching(Granted.class::isInstance);
	}

	/** Others would wait for its turn, which it does not take any more. */
	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE,false", "EXCLUSIVE,true", "READ,false", "READ,true", "FAIR,false", "FAIR,true" })
	void wordWhenGrantedByTheOthersDoesNotStayWhereItIsBusy(LockMode mode, boolean late) {
		RequestId[] holders = { hold(3), hold(4) };
		for (int i = 3; late && i < 5; i++) {
			this.quorum.node(i).state = State.FROZEN;
		}
		RequestId request = this.here.request();
		assertThat(this.here.acquire(request, mode, 0, VirtualQuorum.WAITING))
			.isCompletedWithValueMatching(Granted.class::isInstance);
		for (int i = 3; i < 5; i++) {
			this.quorum.node(i).resume();
		}
		this.here.release(request);
		for (int i = 0; i < holders.length; i++) {
			this.quorum.node(3 + i).connect().release(VirtualQuorum.KEY, holders[i]).join();
		}
		assertThat(ask(3, LockMode.EXCLUSIVE)).isInstanceOf(Granted.class);
		assertThat(ask(4, LockMode.READ)).isInstanceOf(Granted.class);
	}

	@Test
	void requestWhenItWaitsNoLongerOnABusyNodeTakesItAgainAtTheNextRenewal() {
		RequestId holder = hold(4);
		RequestId request = this.here.request();
		this.here.waitFor(request);
		this.quorum.node(4).connect().release(VirtualQuorum.KEY, holder).join();
		assertThat(this.quorum.lockedNodes()).isEqualTo(4);
		assertThat(this.here.renew(request)).isCompletedWithValue(true);
		assertThat(this.quorum.lockedNodes()).isEqualTo(5);
	}

	private AcquireOutcome ask(int index, LockMode mode) {
		return this.quorum.node(index)
			.connect()
			.acquire(new AcquireCommand(List.of(VirtualQuorum.KEY), this.there.request(), mode, 0, null,
					VirtualQuorum.TTL, Duration.ZERO, 0, Duration.ZERO))
			.join();
	}

	/** Have a node held by an instance that has nothing else. */
	private RequestId hold(int index) {
		RequestId request = this.quorum.instance().request();
		this.quorum.node(index)
			.connect()
			.acquire(new AcquireCommand(VirtualQuorum.KEY, request, VirtualQuorum.TTL, Duration.ZERO, 0, Duration.ZERO))
			.join();
		return request;
	}

	private static void assertEnded(CompletableFuture<AcquireOutcome> outcome) {
		assertThat(outcome).isCompleted();
		assertThat(outcome.join()).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.ended()).as("ended").isTrue());
	}

}
