package io.distributedlock.engine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The holds of threads and of owners of several keys, and holds that have ended.
 */
@Tag("lincheck")
@Tag("real-threads")
class RegistryConcurrencyTests {

	@Test
	void locksOfThreadsUnderRealThreadsAreReentrantLocks() {
		Interleavings.random(4).sequentialSpecification(HeldLeaseSpecification.class).check(HeldLeaseOperations.class);
	}

	@Test
	void locksThatForgetHoldsAreNoticed() {
		assertThatThrownBy(() -> Interleavings.random(100)
			.sequentialSpecification(OnceOnlySpecification.class)
			.check(HeldLeaseOperations.class)).isInstanceOf(AssertionError.class)
			.hasMessageContaining("Invalid execution results");
	}

	@Test
	void ownersOfSeveralKeysUnderRealThreadsExcludeEachOther() {
		Interleavings.random(3).check(ExclusionOperations.class);
	}

	@Test
	void ownersThatPassForOneAreNoticed() {
		assertThatThrownBy(() -> Interleavings.random(100)
			.sequentialSpecification(ExclusionOperations.class)
			.check(SharedOwnerOperations.class)).isInstanceOf(AssertionError.class)
			.hasMessageContaining("IllegalStateException");
	}

}
