package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.redlock.VirtualNode.State;
import io.distributedlock.redlock.VirtualQuorum.Instance;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Commands;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The entries that a request leaves behind and that must not be used again.
 */
class QuorumAbandonmentTests {

	private static final Duration NODE_TIMEOUT = RedlockSettings.DEFAULTS.timeout(VirtualQuorum.TTL);

	private final VirtualQuorum quorum = new VirtualQuorum(5);

	private final Instance here = this.quorum.instance();

	private final Instance there = this.quorum.instance();

	@Test
	void readWhenEndedOnOneNodeLeavesNothingOnTheOthers() {
		RequestId[] holders = { hold(2), hold(3), hold(4) };
		RequestId reader = this.here.request();
		this.quorum.node(0).connect().abandon(new AbandonCommand(VirtualQuorum.KEY, reader)).join();
		assertEnded(this.here.acquire(reader, LockMode.READ, 0, VirtualQuorum.WAITING));
		assertThat(this.quorum.node(1).isLocked(VirtualQuorum.KEY)).isFalse();
		for (int i = 0; i < holders.length; i++) {
			this.quorum.node(2 + i).connect().release(new ReleaseCommand(VirtualQuorum.KEY, holders[i])).join();
		}
		assertThat(this.there.acquire(this.there.request())).as("no reader waits any more")
			.isCompletedWithValueMatching(Granted.class::isInstance);
	}

	/** Others would wait for its turn, which it does not take any more. */
	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE,READ,1", "EXCLUSIVE,READ,3", "READ,EXCLUSIVE,1", "READ,EXCLUSIVE,3" })
	void waiterEntryWhenGrantedByTheOthersDoesNotStayOnABusyNode(LockMode mode, LockMode held, int first) {
		RequestId[] holders = { hold(first, held, this.there), hold(first + 1, held, this.there) };
		this.quorum.node(4).state = State.FROZEN;
		RequestId request = this.here.request();
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(request, mode, 0, VirtualQuorum.WAITING);
		this.quorum.node(4).resume();
		assertThat(outcome).isCompletedWithValueMatching(Granted.class::isInstance);
		this.here.release(request);
		for (int i = 0; i < holders.length; i++) {
			this.quorum.node(first + i).connect().release(new ReleaseCommand(VirtualQuorum.KEY, holders[i])).join();
		}
		assertThat(ask(first, LockMode.EXCLUSIVE)).isInstanceOf(Granted.class);
		assertThat(ask(first + 1, LockMode.READ)).isInstanceOf(Granted.class);
	}

	@Test
	void requestTakesABusyNodeAgainAtTheNextRenewal() {
		RequestId holder = hold(4);
		RequestId request = this.here.request();
		this.here.waitFor(request);
		this.quorum.node(4).connect().release(new ReleaseCommand(VirtualQuorum.KEY, holder)).join();
		assertThat(this.quorum.lockedNodes()).isEqualTo(4);
		assertThat(this.here.renew(request)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.quorum.lockedNodes()).isEqualTo(5);
	}

	private AcquireOutcome ask(int index, LockMode mode) {
		return this.quorum.node(index).connect().acquire(once(this.there.request(), mode)).join();
	}

	private static AcquireCommand once(RequestId request, LockMode mode) {
		return new AcquireCommand(List.of(VirtualQuorum.KEY), request, mode, 0, null, VirtualQuorum.TTL, Duration.ZERO,
				Duration.ZERO, 0, false);
	}

	/** Have a node held by an instance that has nothing else. */
	private RequestId hold(int index) {
		return hold(index, LockMode.EXCLUSIVE, this.quorum.instance());
	}

	private RequestId hold(int index, LockMode mode, Instance instance) {
		RequestId request = instance.request();
		assertThat(this.quorum.node(index).connect().acquire(Commands.retaking(once(request, mode))).join())
			.isInstanceOf(Granted.class);
		return request;
	}

	private static void assertEnded(CompletableFuture<AcquireOutcome> outcome) {
		assertThat(outcome).isCompleted();
		assertThat(outcome.join()).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.ended()).as("ended").isTrue());
	}

}
