package io.distributedlock.test.store;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/**
 * Stores that lack capabilities run the same suites. Without wake-ups none could pass,
 * and a store with exclusive locks only could not run the tests of ended requests.
 */
class ThreeInstancesTests {

	@Test
	void testsOfMissingModesAndWakeUpsAreSkipped() {
		TestExecutionSummary summary = run(OfExclusiveLocks.class);
		assertThat(summary.getFailures()).isEmpty();
		assertThat(summary.getTestsSucceededCount()).isGreaterThan(50);
		assertThat(summary.getTestsAbortedCount()).isGreaterThan(50);
	}

	/** All tests of the capability were skipped, and none failed. */
	@Test
	void capabilityWhenLostFailsTheSuite() {
		TestExecutionSummary summary = run(OfLostCapabilities.class);
		assertThat(summary.getFailures()).singleElement()
			.satisfies((failure) -> assertThat(failure.getTestIdentifier().getDisplayName())
				.startsWith("capabilitiesAreThoseThatTheSuiteExpects"));
	}

	private static TestExecutionSummary run(Class<?> suite) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(selectClass(suite))
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		return listener.getSummary();
	}

	@Execution(ExecutionMode.CONCURRENT)
	static class OfExclusiveLocks extends LockStoreInspectionContractTests implements LockStoreFairContract {

		private final MemoryLocks locks = new MemoryLocks();

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return EnumSet.noneOf(StoreCapability.class);
		}

		@Override
		protected LockStore createStore() {
			return new ExclusiveLocks(new MemoryLockStore(this.locks));
		}

	}

	@Execution(ExecutionMode.CONCURRENT)
	static class OfLostCapabilities extends OfExclusiveLocks {

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return EnumSet.of(StoreCapability.READ);
		}

	}

	/** Has no modes but the exclusive one, and no wake-ups. */
	private static final class ExclusiveLocks extends DelegatingLockStore {

		ExclusiveLocks(LockStore delegate) {
			super(delegate);
		}

		@Override
		public Set<StoreCapability> capabilities() {
			return EnumSet.noneOf(StoreCapability.class);
		}

		@Override
		public boolean takesTogether(List<LockKey> keys) {
			return false;
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
			boolean known = command.mode() == LockMode.EXCLUSIVE && command.keys().size() == 1;
			return known ? super.acquire(command.withoutClaim())
					: CompletableFuture.failedFuture(new LockStoreException(Kind.MISCONFIGURED, "Unknown", null));
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
			// It has no wake-ups.
		}

	}

}
