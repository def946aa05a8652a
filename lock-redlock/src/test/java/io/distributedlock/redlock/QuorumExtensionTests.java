package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.redlock.VirtualNode.State;
import io.distributedlock.redlock.VirtualQuorum.Instance;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A lease that a quorum holds is set anew, and some nodes do not hear of it. */
class QuorumExtensionTests {

	private static final Duration SHORT = Duration.ofSeconds(2);

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final RenewalMarks RENEWED = RenewalMarks.NONE.with(1, 0);

	private static final RenewalMarks EXTENDED = RENEWED.with(2, 0);

	private final VirtualQuorum quorum = new VirtualQuorum(3);

	private final Instance here = this.quorum.instance();

	private final Instance there = this.quorum.instance();

	private final RequestId request = this.here.request();

	QuorumExtensionTests() {
		assertThat(this.here.acquire(this.request)).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void extendThatANodeMissesLetsTheLockGoAsSoonAsItSays() {
		this.quorum.node(1).state = State.DOWN;
		assertThat(extend(SHORT)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).state = State.UP;
		this.quorum.timer.pass(SHORT.plusMillis(1));
		assertThat(this.quorum.lockedNodes()).isOne();
		assertThat(this.there.acquire(this.there.request())).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void extendThatANodeMissesBlocksItNoLongerThanTheLeaseBefore() {
		this.quorum.node(1).state = State.DOWN;
		assertThat(extend(SHORT)).isCompletedWithValue(Ownership.HELD);
		this.quorum.timer.pass(VirtualQuorum.TTL);
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void extendThatANodeMissesDoesNotLetTheLockGoEarlier() {
		this.quorum.node(1).state = State.DOWN;
		assertThat(extend(LONG)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).state = State.UP;
		this.quorum.timer.pass(LONG.minusSeconds(1));
		assertThat(this.quorum.lockedNodes()).isEqualTo(2);
		assertThat(this.there.acquire(this.there.request())).isCompletedWithValueMatching(Busy.class::isInstance);
		this.here.renew(this.request, LONG, EXTENDED);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	@Test
	void extendWhenTooFewNodesAreUpFails() {
		this.quorum.node(0).state = State.DOWN;
		this.quorum.node(1).state = State.DOWN;
		assertThat(extend(LONG)).isCompletedExceptionally();
	}

	@Test
	void extendWhenAMajorityHasForgottenIsLost() {
		this.quorum.node(0).restartEmpty();
		this.quorum.node(1).restartEmpty();
		assertThat(extend(LONG)).isCompletedWithValue(Ownership.LOST);
		assertThat(this.quorum.lockedNodes()).isOne();
	}

	/** A node that takes it again has no marks, so an older renewal would count there. */
	@Test
	void extendWhenANodeHasForgottenIsNotUndoneThereByALateRenewal() {
		this.quorum.node(1).restartEmpty();
		assertThat(extend(SHORT)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
		assertThat(this.here.renew(this.request, LONG, RENEWED)).isCompletedWithValue(Ownership.LOST);
		this.quorum.timer.pass(SHORT.plusMillis(1));
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	/** The lost renewal used to make the store forget the lock that it holds. */
	@Test
	void renewalThatAnExtendHasOvertakenLeavesTheLockToBeTakenAgain() {
		for (int i = 0; i < 3; i++) {
			this.quorum.node(i).delayed = "renew"::equals;
		}
		CompletableFuture<Ownership> late = this.here.renew(this.request, LONG, RENEWED);
		assertThat(extend(LONG)).isCompletedWithValue(Ownership.HELD);
		for (int i = 0; i < 3; i++) {
			this.quorum.node(i).resume();
		}
		assertThat(late).isCompletedWithValue(Ownership.LOST);
		this.quorum.node(1).restartEmpty();
		assertThat(this.here.renew(this.request, LONG, EXTENDED)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	@Test
	void nodeThatTakesTheLockAgainKeepsItAsTheExtendSays() {
		assertThat(this.here.extend(this.request, LONG, LONG, EXTENDED)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).restartEmpty();
		assertThat(this.here.renew(this.request, LONG, EXTENDED)).isCompletedWithValue(Ownership.HELD);
		this.here.store.release(new ReleaseCommand(List.of(VirtualQuorum.KEY), this.request, EXTENDED));
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	private CompletableFuture<Ownership> extend(Duration ttl) {
		return this.here.extend(this.request, ttl, null, EXTENDED);
	}

}
