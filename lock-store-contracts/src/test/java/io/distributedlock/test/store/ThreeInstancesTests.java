package io.distributedlock.test.store;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

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
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

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

	/** No test showed that a store remembers anything for longer than a test takes. */
	@Test
	void retentionWhenTooShortFailsTheSuite() {
		TestExecutionSummary summary = run(
				selectMethod(OfForgetfulStores.class, "requestThatWasReleasedIsRememberedForASecond",
						LockMode.class.getName()),
				selectMethod(OfForgetfulStores.class, "requestThatWasAbandonedFirstIsRefusedForASecond"));
		assertThat(summary.getFailures()).hasSize(2)
			.allSatisfy((failure) -> assertThat(failure.getException()).hasMessageContaining("remembered for PT1S")
				.hasStackTraceContaining("Keys and identities of this run: " + ContractRun.THIS));
	}

	/** A second run was refused, since its requests had ended in the first one. */
	@Test
	void suiteWhenTheServerKeepsAnEarlierRunMeetsNothingOfIt() throws Exception {
		for (int run = 0; run < 2; run++) {
			try (AnotherJvm jvm = new AnotherJvm()) {
				Class<?> suite = jvm.loadClass(OfALastingServer.class.getName());
				assertThat(suite).isNotSameAs(OfALastingServer.class);
				TestExecutionSummary summary = run(selectMethod(suite, "tokenGrowsFromHolderToHolder"));
				assertThat(summary.getFailures()).isEmpty();
				assertThat(summary.getTestsSucceededCount()).isOne();
			}
		}
	}

	@Test
	void runThatIsChosenIsThatOne() {
		ContractRun run = ContractRun.of("00ab1ff");
		assertThat(run).hasToString("-Dlock.contract.run=00ab1ff");
		assertThat(run.key(getClass(), 7)).isEqualTo("ThreeInstancesTests-00ab1ff-7");
		assertThat(run.instance(3, 0x1_0000_0005L)).isEqualTo(0x300a_b1ff_0000_0005L);
		assertThat(ContractRun.of(null).toString()).matches("-Dlock\\.contract\\.run=[0-9a-f]{7}");
		assertThatIllegalArgumentException().isThrownBy(() -> ContractRun.of("ab1ff"))
			.withMessageContaining("lock.contract.run has to be 7 digits");
	}

	private static TestExecutionSummary run(Class<?> suite) {
		return run(selectClass(suite));
	}

	private static TestExecutionSummary run(DiscoverySelector... selected) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selected).build();
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

	/** Stores that forget ended requests after a tenth of a second. */
	@Execution(ExecutionMode.CONCURRENT)
	static class OfForgetfulStores extends OfExclusiveLocks {

		private final MemoryLocks locks = new MemoryLocks(System::nanoTime, Duration.ofMillis(100));

		@Override
		protected LockStore createStore() {
			return new ExclusiveLocks(new MemoryLockStore(this.locks));
		}

	}

	static class OfALastingServer extends OfExclusiveLocks {

		/** Shared by all runs, since the loaders of {@link AnotherJvm} do not load it. */
		private static final MemoryLocks SERVER = (MemoryLocks) System.getProperties()
			.computeIfAbsent(OfALastingServer.class.getName(), (name) -> new MemoryLocks());

		@Override
		protected LockStore createStore() {
			return new ExclusiveLocks(new MemoryLockStore(SERVER));
		}

	}

	/** Loads this package anew, with new counters, as another JVM does. */
	private static final class AnotherJvm extends URLClassLoader {

		AnotherJvm() {
			super(urls(), ThreeInstancesTests.class.getClassLoader());
		}

		private static URL[] urls() {
			return Stream.of(ThreeInstances.class, ThreeInstancesTests.class)
				.map((type) -> type.getProtectionDomain().getCodeSource().getLocation())
				.toArray(URL[]::new);
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				if (!name.startsWith(ThreeInstances.class.getPackageName())) {
					return super.loadClass(name, resolve);
				}
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : findClass(name);
			}
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
