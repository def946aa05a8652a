package io.distributedlock.redlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redlock.VirtualQuorum.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The common answer of nodes about a lock, and how all of them take it away. */
class QuorumInspectionTests {

	private final VirtualQuorum quorum = new VirtualQuorum(3);

	private final VirtualQuorum.Instance holder = this.quorum.instance();

	private final VirtualQuorum.Instance operator = this.quorum.instance();

	private LockInspection inspect() {
		return this.operator.store.inspect(KEY).join();
	}

	private CompletableFuture<Integer> forceRelease() {
		return this.operator.store.forceRelease(new ForceReleaseCommand(KEY, null));
	}

	private RequestId held() {
		RequestId request = this.holder.request();
		this.holder.acquire(request).join();
		return request;
	}

	@Test
	void holderOfAMajorityIsNamedOnce() {
		RequestId request = held();
		this.quorum.node(0).restartEmpty();
		assertThat(inspect().holders()).extracting(Holder::request).containsExactly(request.toString());
		assertThat(inspect().holderCount()).isEqualTo(1);
		assertThat(inspect().silentNodes()).isEmpty();
	}

	@Test
	void whatIsLeftOnAMinorityHoldsNothing() {
		held();
		this.quorum.node(0).restartEmpty();
		this.quorum.node(1).restartEmpty();
		assertThat(inspect().isLocked()).isFalse();
		assertThat(inspect().holders()).isEmpty();
	}

	@Test
	void holderThatASilentNodeCouldConfirmIsNamed() {
		RequestId request = held();
		this.quorum.node(0).restartEmpty();
		this.quorum.node(1).state = VirtualNode.State.DOWN;
		LockInspection seen = inspect();
		assertThat(seen.holders()).extracting(Holder::request).containsExactly(request.toString());
		assertThat(seen.silentNodes()).containsExactly("node1");
	}

	/** The node kept it for its whole lease. */
	@Test
	void lockTakenFromARequestIsNotTakenByItOnALaterNode() {
		this.quorum.node(1).delayed = (what) -> what.startsWith("acquire");
		RequestId request = held();
		this.operator.store.forceRelease(new ForceReleaseCommand(KEY, request)).join();
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void lockTakenFromAllIsNotTakenByItsHolderOnALaterNode() {
		this.quorum.node(1).delayed = (what) -> what.startsWith("acquire");
		held();
		forceRelease().join();
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	/** The next holder was taken for one of the former ones, and lost the lock. */
	@Test
	void lockIsTakenFromNoneBeforeAllNodesHaveSaidWhoHasIt() {
		held();
		this.quorum.node(2).delayed = "inspect"::equals;
		CompletableFuture<Integer> forced = forceRelease();
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
		this.quorum.node(2).resume();
		assertThat(forced).isCompletedWithValue(1);
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	/** A node lost the next holder, and did not take it again. */
	@Test
	void nextHolderKeepsANodeThatSaysTooLateWhoHasTheLock() {
		held();
		this.quorum.node(2).delayed = "inspect"::equals;
		CompletableFuture<Integer> forced = forceRelease();
		this.quorum.timer.pass(RedlockSettings.DEFAULTS.timeout().plusMillis(1));
		assertThat(forced).isCompletedWithValue(1);
		assertThat(this.quorum.lockedNodes()).isZero();
		this.operator.acquire(this.operator.request()).join();
		this.quorum.node(2).resume();
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	/** Each renewal of a permit that takes all nodes failed from then on. */
	@Test
	void nextPermitKeepsANodeThatDoesNotSayWhoHasOne() {
		this.holder.acquire(this.holder.request(), LockMode.SEMAPHORE, 2, Duration.ZERO).join();
		this.quorum.node(2).delayed = "inspect"::equals;
		CompletableFuture<Integer> forced = forceRelease();
		this.quorum.timer.pass(RedlockSettings.DEFAULTS.timeout().plusMillis(1));
		assertThat(forced).isCompletedWithValue(1);
		RequestId next = this.operator.request();
		this.operator.acquire(next, LockMode.SEMAPHORE, 2, Duration.ZERO).join();
		this.quorum.timer.pass(Duration.ofSeconds(1));
		assertThat(this.operator.renew(next)).isCompletedWithValue(Ownership.HELD);
	}

	@Test
	void nodeThatCannotSayWhoHasTheLockIsTold() {
		held();
		this.quorum.node(2).timedOut = "inspect"::equals;
		assertThat(forceRelease()).isCompletedWithValue(1);
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void lockThatIsNotAskedForAnyMoreIsTakenFromNone() {
		held();
		this.quorum.node(2).delayed = "inspect"::equals;
		forceRelease().cancel(true);
		this.quorum.node(2).resume();
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	/** A mistyped request stood in the way of all later ones of its caller. */
	@Test
	void requestThatNoNodeKnowsIsNotRefusedLater() {
		RequestId request = this.holder.request();
		assertThat(this.operator.store.forceRelease(new ForceReleaseCommand(KEY, request))).isCompletedWithValue(0);
		this.holder.acquire(request).join();
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	/** A renewal that had the answers of a majority before restored the lock there. */
	@Test
	void lockThatIsTakenAwayIsNotTakenAgainByARenewal() {
		RequestId request = held();
		this.quorum.node(1).connect().forceRelease(new ForceReleaseCommand(KEY, request)).join();
		assertThat(this.holder.renew(request).join()).isEqualTo(Ownership.HELD);
		assertThat(this.quorum.lockedNodes()).isEqualTo(2);
	}

	@Test
	void fewerThanAMajoritySayNothing() {
		held();
		this.quorum.node(0).state = VirtualNode.State.DOWN;
		this.quorum.node(1).state = VirtualNode.State.DOWN;
		assertThatThrownBy(this::inspect).hasCauseInstanceOf(LockStoreException.class)
			.hasMessageContaining("Cannot inspect quorum:key: it takes 2 of 3 nodes");
		assertThatThrownBy(() -> forceRelease().join()).hasCauseInstanceOf(LockStoreException.class)
			.hasMessageContaining("Cannot take away quorum:key: it takes 2 of 3 nodes");
	}

	@Test
	void storeHasAMonitorIfAllOfItsNodesHaveOne() {
		assertThat(this.operator.store.monitor()).isSameAs(this.operator.store);
		this.quorum.node(1).hasMonitor = false;
		assertThat(this.operator.store.monitor()).isNull();
	}

	@Test
	void lockThatIsTakenAwayOnAMajorityIsLost() {
		RequestId request = held();
		this.quorum.node(2).state = VirtualNode.State.DOWN;
		assertThat(forceRelease().join()).isEqualTo(1);
		this.quorum.node(2).state = VirtualNode.State.UP;
		assertThat(this.quorum.lockedNodes()).isEqualTo(1);
		assertThat(inspect().isLocked()).isFalse();
		assertThat(this.holder.renew(request).join()).isEqualTo(Ownership.LOST);
		assertThat(this.quorum.lockedNodes()).as("none was taken again").isEqualTo(1);
		assertThat(forceRelease().join()).isEqualTo(1);
		assertThat(this.quorum.lockedNodes()).isZero();
	}

}
