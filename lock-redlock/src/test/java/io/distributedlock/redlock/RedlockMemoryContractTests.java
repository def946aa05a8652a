package io.distributedlock.redlock;

import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.LockStoreSetContractTests;

import static org.assertj.core.api.Assertions.assertThat;

/** The contract of stores on three nodes in memory. */
@Execution(ExecutionMode.CONCURRENT)
class RedlockMemoryContractTests extends LockStoreSetContractTests {

	/** The longest time: a thread that stands still does not make a node a silent one. */
	private static final RedlockSettings PATIENT = new RedlockSettings(Duration.ofMinutes(1));

	private final List<MemoryLocks> nodes = Stream.generate(MemoryLocks::new).limit(3).toList();

	@Override
	protected LockStore createStore() {
		return new WithFairLocks(quorum());
	}

	private RedlockLockStore quorum() {
		return new RedlockLockStore(this.nodes.stream().map(MemoryLockStore::new).toList(), PATIENT);
	}

	@Test
	void capabilitiesOfAQuorumLackFairLocks() {
		try (RedlockLockStore quorum = quorum()) {
			assertThat(quorum.capabilities()).doesNotContain(StoreCapability.FAIR)
				.hasSize(expectedCapabilities().size() - 1);
		}
	}

	/** Those of the quorum, and fair locks. */
	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return EnumSet.of(StoreCapability.FAIR, StoreCapability.READ, StoreCapability.SEMAPHORE,
				StoreCapability.KEY_SETS, StoreCapability.WAKE_UPS);
	}

	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		// It listens from the start.
	}

	@Override
	protected boolean repeatsWakeUps() {
		return true;
	}

	@Override
	protected void assertReaderHas(long last, AcquireOutcome outcome) {
		assertThat(((Granted) outcome).token()).isGreaterThanOrEqualTo(last);
	}

	/**
	 * Nodes that send far apart cause a wake-up each, and the caller has taken the first.
	 */
	@Override
	protected void assertNoMore(Collection<String> wakeUps) {
		assertThat(wakeUps).hasSizeLessThan(this.nodes.size());
	}

}
